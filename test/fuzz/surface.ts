/**
 * Random requests to any path of any engine, with any token and namespace, to an open and a sealed kernel.
 */
import { expect } from 'vitest'
import { jsonText } from '../../src/core/json/json-text.ts'
import { createDevKernel, createKernel, type Kernel, type KernelRequest, keySeal, memoryStorage } from '../../src/index.ts'
import { mountAll } from '../fixtures/every-operation.ts'
import fc from '../fixtures/fast-check.ts'
import { TIER } from '../tiers.ts'
import { GUARDED, type Hostile, hostileRequest } from './hostile-requests.ts'

/** A failure reports the seed; set it in the environment to repeat the same requests. */
export const SEED = Number(process.env['SEED'] ?? (TIER === 'soak' ? Math.floor(Math.random() * 2 ** 31) : 19))

/** One in this many requests goes to a sealed kernel. */
const TO_THE_SEALED = 20

let kernel: Kernel
let sealed: Kernel
let tokens: string[]
let requests = 0

const rootOf = async (): Promise<string> => (await kernel.tokens.createToken({ policies: ['root'] })).client_token

export async function openKernels(): Promise<void> {
  kernel = await createDevKernel()
  await mountAll(kernel, true)
  await kernel.transit.createKey({ name: 'a', exportable: true })
  await kernel.transit.createKey({ name: 'b', type: 'ed25519' })
  await kernel.namespaces.createNamespace({ name: 'ns1' })
  const ns1 = kernel.namespace('ns1/')
  await ns1.namespaces.createNamespace({ name: 'deep' })
  await mountAll(kernel.namespace('ns1/deep/'), false)
  const narrow = `path "secret/*" { capabilities = ["create", "read", "list"] denied_parameters = { "a" = ["b"] } }
    path "transit/*" { capabilities = ["update"] allowed_parameters = { "plaintext" = [], "*" = [] } min_wrapping_ttl = "1s" }
    path "+/+/a" { capabilities = ["read", "delete", "patch"] required_parameters = ["data"] }`
  for (const { policies } of [kernel, ns1]) await policies.writePolicy({ name: 'some', policy: narrow })
  const some = { policies: ['some'] }
  tokens = [
    await rootOf(),
    '',
    's.000000000000000000000000',
    `s.${'x'.repeat(24)}.abcdef`,
    (await kernel.tokens.createToken(some)).client_token,
    (await kernel.tokens.createToken({ ...some, type: 'batch', ttl: '1h' })).client_token,
    (await ns1.tokens.createToken(some)).client_token,
    '\ud800',
    'x'.repeat(70_000),
  ]
  await makeGuarded()
  tokens.push(await carefulToken())
  sealed = await createKernel({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32).fill(3)), initialize: true })
  await sealed.seal.seal()
}

/** Only the guarded records contain this text. */
const MARK = 'shown-to-nobody'

const DENIED = ['sys/policies/acl', 'auth/orchestrator/role', 'sys/mounts', 'sys/auth', 'sys/audit', 'sys/leases/revoke-prefix']

/** Permits everything except the guarded records and operations that would move or delete them under another name. */
const CAREFUL = `path "*" { capabilities = ["create", "read", "update", "delete", "list", "patch", "sudo"] }
  path "sys/remount" { capabilities = ["deny"] }
  path "sys/replication/*" { capabilities = ["deny"] }
  ${DENIED.map((at) => `path "${at}/${GUARDED}" { capabilities = ["deny"] }\npath "${at}/${GUARDED}/*" { capabilities = ["deny"] }`).join('\n')}`

/** The root token may have made the cluster a secondary of either kind, without a primary. */
async function becomePrimary(): Promise<void> {
  const { replication } = kernel
  if ((await replication.dr.readStatus()).mode === 'secondary') await replication.dr.promote({ force: true })
  if ((await replication.readStatus()).mode === 'secondary') await replication.promote({ force: true })
}

async function makeGuarded(): Promise<void> {
  await becomePrimary()
  const { policies, mounts, orchestrator } = kernel
  await policies.writePolicy({ name: GUARDED, policy: `path "${MARK}" { capabilities = ["read"] }` })
  await policies.writePolicy({ name: 'careful', policy: CAREFUL })
  const place = { path: GUARDED, description: MARK }
  const known = await mounts.listMounts()
  if (!(`${GUARDED}/` in known.mounts)) await mounts.createMount({ ...place, type: 'kv' })
  const methods = await mounts.listAuthMethods()
  if (!('orchestrator/' in methods.mounts)) await mounts.createAuthMethod({ path: 'orchestrator', type: 'orchestrator' })
  if (!(`${GUARDED}/` in methods.mounts)) await mounts.createAuthMethod({ ...place, type: 'orchestrator' })
  await orchestrator.writeRole({
    name: GUARDED,
    bound_service_account_names: [MARK],
    bound_service_account_namespaces: ['*'],
  })
}

/** Undefined if the record is missing. */
const orNothing = <T>(found: Promise<T>): Promise<T | undefined> => found.catch(() => undefined)

async function guarded(): Promise<string> {
  const { policies, mounts, orchestrator } = kernel
  const records = [
    orNothing(policies.readPolicy({ name: GUARDED })),
    orNothing(mounts.readMountTuning({ path: GUARDED })),
    orNothing(mounts.readAuthTuning({ path: GUARDED })),
    orNothing(orchestrator.readRole({ name: GUARDED })),
  ]
  return jsonText(await Promise.all(records))
}

const carefulToken = async (): Promise<string> =>
  (await kernel.tokens.createToken({ policies: ['careful'], no_default_policy: true })).client_token

export async function closeKernels(): Promise<void> {
  await kernel.close()
  await sealed.close()
}

const requestOf = ({ method, path, query, body, token, headers }: Hostile): KernelRequest => ({
  method,
  path,
  query,
  body,
  headers: {
    'X-Service-Token': tokens[token],
    'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    ...headers,
  },
})

/** The root token may also make the cluster a secondary without a primary, which refuses writes. */
async function isLostSecondary(status: number): Promise<boolean> {
  if (status !== 503 || (await kernel.replication.readStatus()).mode !== 'secondary') return false
  await kernel.replication.promote()
  return true
}

type Measure = (target: Kernel, request: KernelRequest) => Promise<Awaited<ReturnType<Kernel['handle']>>>

const unmeasured: Measure = (target, request) => target.handle(request)

async function expectSoundAnswer(hostile: Hostile, measure: Measure): Promise<void> {
  const target = ++requests % TO_THE_SEALED === 0 ? sealed : kernel
  const isCareful = target === kernel && hostile.token === tokens.length - 1
  if (isCareful) {
    // Requests with the root token may have changed the guarded records.
    await makeGuarded()
    tokens[hostile.token] = await carefulToken()
  }
  const request = requestOf(hostile)
  const before = isCareful ? await guarded() : ''
  const { status, headers, body } = await measure(target, request)
  if (isCareful) await expectNothingReached(hostile, before, body)
  expect(status).toBeGreaterThanOrEqual(200)
  if (target === kernel && (await isLostSecondary(status))) return
  // A kernel that has reached its limits returns 503 with a Retry-After header.
  if (status >= 500) expect([status, target === sealed || headers['Retry-After'] !== undefined, body]).toEqual([503, true, body])
  if (status >= 400 && !request.path.includes('sys/health')) expect((body as { errors: unknown }).errors).toBeInstanceOf(Array)
  if (body !== undefined) expect(typeof jsonText(body as object)).toBe('string')
  // The root token may have revoked itself; without a new one, all later requests would be refused.
  if (hostile.token === 0 && status === 403) tokens[0] = await rootOf()
}

const NAMED = /^\/v1\/(?:sys\/(?:policies\/acl|policy|mounts|auth)|auth\/orchestrator\/role)\/./

/** Checks that no spelling of a path lets a token reach a record that its policies deny. */
async function expectNothingReached(hostile: Hostile, before: string, body: unknown): Promise<void> {
  expect([hostile.method, hostile.path, await guarded()]).toEqual([hostile.method, hostile.path, before])
  // Lists of mounts contain descriptions, which the token may read.
  const isNamed = NAMED.test(hostile.path) && hostile.method !== 'LIST'
  if (isNamed && body !== undefined)
    expect([hostile.path, jsonText(body as object).includes(MARK)]).toEqual([hostile.path, false])
}

/** Each request depends on the earlier ones, so failures are not shrunk. The seed repeats the whole sequence. */
export const sendHostileRequests = (numRuns: number, measure: Measure = unmeasured): Promise<void> =>
  fc.assert(
    fc.asyncProperty(hostileRequest(tokens.length), (hostile) => expectSoundAnswer(hostile, measure)),
    { numRuns, seed: SEED, endOnFailure: true },
  )
