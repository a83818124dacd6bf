/** A namespace header reveals nothing about namespaces that the caller may not enter, for every operation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { EVERY_OPERATION, type Known, requestOf } from '../fixtures/every-operation.ts'

let kernel: Kernel
/**
 * No token, an unknown token, a token with few rights in the root namespace, and tokens with all rights in `team` and in the root
 * namespace.
 */
let tokens: Readonly<Record<string, string | undefined>>

beforeAll(async () => {
  kernel = await createDevKernel()
  for (const name of ['team', 'full', 'bare']) await kernel.namespaces.createNamespace({ name })
  const full = kernel.namespace('full/')
  await full.mounts.createMount({ path: 'secret', type: 'kv' })
  await full.mounts.createMount({ path: 'transit', type: 'transit' })
  await full.mounts.createAuthMethod({ path: 'orchestrator', type: 'orchestrator' })
  await full.policies.writePolicy({ name: 'a', policy: 'path "*" { capabilities = ["read"] }' })
  const policy = 'path "*" { capabilities = ["create", "read", "update", "patch", "delete", "list", "sudo"] }'
  await kernel.namespace('team/').policies.writePolicy({ name: 'all', policy })
  await kernel.policies.writePolicy({ name: 'few', policy: 'path "secret/a" { capabilities = ["read"] }' })
  const made = await kernel.namespace('team/').tokens.createToken({ policies: ['all'], no_default_policy: true })
  const few = await kernel.tokens.createToken({ policies: ['few'], no_default_policy: true })
  tokens = {
    none: undefined,
    wrong: 'not-a-token',
    'few rights': few.client_token,
    'another namespace': made.client_token,
    root: kernel.rootToken,
  }
})
afterAll(() => kernel.close())

/** Operations that need no namespace, or that run in the namespace of their token or lease. */
const isOpen = ({ operation }: Known): boolean =>
  operation.inAnyState !== undefined || operation.unauthenticated === true || operation.runsInNamespaceOf !== undefined

/** Operations that are refused with 400 outside of the root namespace, before the caller is authenticated. */
const isRootOnly = ({ operation }: Known): boolean => operation.rootOnly === true

async function answerTo(known: Known, namespace: string, token: string | undefined): Promise<string> {
  const headers = { 'X-Service-Namespace': namespace, ...(token === undefined ? {} : { 'X-Service-Token': token }) }
  const { status, body } = await kernel.handle(requestOf(known, {}, headers))
  return JSON.stringify([status, (body as { errors?: unknown } | undefined)?.errors])
}

describe('a namespace in the request header', () => {
  const guarded = EVERY_OPERATION.filter((known) => !isOpen(known))

  it.each(['none', 'full/none', 'FULL', 'full/secret', 'fulL/'])(
    'that does not exist (%s) returns the same 404 to every caller',
    async (name) => {
      const wrong: string[] = []
      for (const known of EVERY_OPERATION.filter(({ operation }) => operation.inAnyState === undefined))
        for (const [who, token] of Object.entries(tokens)) {
          const answer = await answerTo(known, name, token)
          if (answer !== '[404,["namespace not found"]]') wrong.push(`${known.title}, ${who}: ${answer}`)
        }
      expect(wrong).toEqual([])
    },
  )

  it('that the caller may not use returns the same 403 whether it has mounts or not', async () => {
    const wrong: string[] = []
    for (const known of guarded)
      for (const who of ['none', 'wrong', 'few rights', 'another namespace']) {
        const [full, bare] = [await answerTo(known, 'full', tokens[who]), await answerTo(known, 'bare', tokens[who])]
        if (full !== bare || full.startsWith('[403,') === isRootOnly(known))
          wrong.push(`${known.title}, ${who}: ${full} and ${bare}`)
      }
    expect(wrong).toEqual([])
  })
})
