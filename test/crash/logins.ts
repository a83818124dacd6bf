/**
 * Logins of the crash test. The tokens are not signed, and the fake token reviewer accepts them.
 */
import { expect } from 'vitest'
import type { Kernel } from '../../src/kernel.ts'
import { fakeTokenReviewer } from '../../src/testing/index.ts'
import { certificate, ed25519Spki } from '../fixtures/certificates.ts'

/** The options of a kernel for these logins. */
export const ORCHESTRATED = { ports: { tokenReviewer: fakeTokenReviewer() } }

const ROLE = 'anybody'
/** The CA of a server that is never called. */
const CA = certificate(ed25519Spki(new Uint8Array(32)))
const PATH = 'auth/orchestrator/login'

/** Longer than the crash test runs. */
const TTL = '700h'

/** Creates the configuration and the role before the first login. */
export async function letIn({ orchestrator }: Kernel): Promise<void> {
  await orchestrator.configure({ orchestrator_host: 'https://api.example', orchestrator_ca_cert: CA })
  await orchestrator.writeRole({
    name: ROLE,
    bound_service_account_names: ['*'],
    bound_service_account_namespaces: ['*'],
    token_ttl: TTL,
  })
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const jwtOf = (lane: string, account: string): string => {
  const serviceaccount = { name: account, uid: `${lane}-${account}` }
  return `${part({ alg: 'ES256' })}.${part({ 'kubernetes.io': { namespace: lane, serviceaccount } })}.${part('nobody')}`
}

/** @returns The token. */
export async function logIn({ orchestrator }: Kernel, lane: string, account: string): Promise<string> {
  return (await orchestrator.login({ role: ROLE, jwt: jwtOf(lane, account) })).client_token
}

interface Looked {
  readonly path: string
  readonly entity_id: string
  readonly meta: Readonly<Record<string, string>> | null
}

/** The token of a login has the entity of its account, which is identified by the account's uid. */
export async function checkEntity(kernel: Kernel, { entity_id, meta }: Looked): Promise<void> {
  const { aliases } = await kernel.identity.readEntity({ id: entity_id })
  expect(aliases.map(({ name }) => name)).toEqual([meta?.['service_account_uid']])
}

/** Checks all tokens, including those that were never reported, and that each account has one entity. */
export async function checkLogins(kernel: Kernel): Promise<void> {
  const entities = new Map<string | undefined, string>()
  for (const accessor of (await kernel.tokens.listAccessors()).keys) {
    const token = await kernel.tokens.lookupAccessor({ accessor })
    if (token.path !== PATH) continue
    await checkEntity(kernel, token)
    const account = token.meta?.['service_account_uid']
    expect(entities.get(account) ?? token.entity_id).toBe(token.entity_id)
    entities.set(account, token.entity_id)
  }
}
