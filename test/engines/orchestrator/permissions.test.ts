import { describe, expect, it } from 'vitest'
import { certificatePem, P256 } from '../../unit/core/jwt/tokens.ts'
import { type Input, type Operation, PATH, VIEWS } from './views.ts'
import { BOUND, HOST, KEYS, openWorld, type World } from './world.ts'

const BASE = 'auth/orchestrator'

/** Creates a token with this policy only. */
async function tokenWith(world: World, policy: string): Promise<string> {
  await world.kernel.policies.writePolicy({ name: 'tested', policy })
  const { client_token } = await world.kernel.tokens.createToken({ policies: ['tested'], no_default_policy: true })
  return client_token
}

const may = (capabilities: string): string => `path "${BASE}/*" { capabilities = [${capabilities}] }`

describe('orchestrator.writeRole', () => {
  it.each([
    ['"create"', 204, 403],
    ['"update"', 403, 204],
    ['"create", "update"', 204, 204],
    ['"read", "list", "delete"', 403, 403],
    ['"create", "update", "deny"', 403, 403],
  ])(
    'requires the create capability for new roles and update for existing ones (capabilities of the policy: %s)',
    async (capabilities, creates, updates) => {
      await using world = await openWorld()
      const token = await tokenWith(world, may(capabilities))
      for (const view of VIEWS) {
        const write = (name: string) => view.ask(world.kernel, 'writeRole', { name, ...BOUND }, { token })
        expect((await write(`new-${view.name}`)).status).toBe(creates)
        expect((await write('web')).status).toBe(updates)
        // The name may be written in any case.
        expect((await write('WEB')).status).toBe(updates)
        await view.ask(world.kernel, 'deleteRole', { name: 'web' })
        expect((await write('Web')).status).toBe(creates)
        await view.ask(world.kernel, 'writeRole', { name: 'web', ...BOUND })
      }
    },
  )
})

it.each<readonly [operation: Operation, capability: string]>([
  ['configure', 'update'],
  ['readConfig', 'read'],
  ['readRole', 'read'],
  ['listRoles', 'list'],
  ['deleteRole', 'delete'],
])('orchestrator.%s requires the %s capability', async (operation, capability) => {
  await using world = await openWorld()
  const input: Readonly<Partial<Record<Operation, Input>>> = {
    configure: { orchestrator_host: HOST, pem_keys: KEYS },
    readRole: { name: 'web' },
    deleteRole: { name: 'web' },
  }
  const others = ['create', 'read', 'update', 'delete', 'list'].filter((candidate) => candidate !== capability)
  const without = await tokenWith(world, may(others.map((candidate) => `"${candidate}"`).join()))
  for (const view of VIEWS)
    expect((await view.ask(world.kernel, operation, input[operation], { token: without })).status).toBe(403)
  const { client_token: token } = await world.kernel.tokens.createToken({ policies: ['with'] })
  await world.kernel.policies.writePolicy({ name: 'with', policy: may(`"${capability}"`) })
  for (const view of VIEWS)
    expect((await view.ask(world.kernel, operation, input[operation], { token })).status).toBeLessThan(300)
})

describe('policy parameter rules for an orchestrator auth method', () => {
  const CA = certificatePem(P256)
  const GOOD = { orchestrator_host: 'https://a', pem_keys: KEYS }

  async function statusOf(rules: string, input: Input): Promise<number> {
    await using world = await openWorld()
    const token = await tokenWith(world, `path "${BASE}/config" { capabilities = ["update"] ${rules} }`)
    return (await PATH.ask(world.kernel, 'configure', input, { token })).status
  }

  it.each<readonly [rules: string, input: Input, status: number]>([
    ['denied_parameters = { "orchestrator_host" = [] }', { kubernetes_host: 'https://a', pem_keys: KEYS }, 403],
    ['denied_parameters = { "orchestrator_host" = ["https://b"] }', { kubernetes_host: 'https://b', pem_keys: KEYS }, 403],
    ['denied_parameters = { "orchestrator_host" = ["https://b"] }', { kubernetes_host: 'https://a', pem_keys: KEYS }, 204],
    ['denied_parameters = { "orchestrator_ca_cert" = [] }', { ...GOOD, kubernetes_ca_cert: CA }, 403],
    ['denied_parameters = { "orchestrator_ca_cert" = [] }', { ...GOOD, orchestrator_ca_cert: null, kubernetes_ca_cert: CA }, 403],
    ['denied_parameters = { "*" = [] }', { kubernetes_host: 'https://a', pem_keys: KEYS }, 403],
    [
      'allowed_parameters = { "orchestrator_host" = ["https://a"], "pem_keys" = [] }',
      { kubernetes_host: 'https://a', pem_keys: KEYS },
      204,
    ],
    [
      'allowed_parameters = { "orchestrator_host" = ["https://a"], "pem_keys" = [] }',
      { kubernetes_host: 'https://b', pem_keys: KEYS },
      403,
    ],
    [
      'allowed_parameters = { "orchestrator_host" = ["https://a"], "*" = [] }',
      { kubernetes_host: 'https://b', pem_keys: KEYS },
      403,
    ],
    // If both spellings are given, the request uses `orchestrator_host`, so only its value is checked.
    ['allowed_parameters = { "orchestrator_host" = ["https://a"], "*" = [] }', { ...GOOD, kubernetes_host: 'https://b' }, 204],
    ['allowed_parameters = { "pem_keys" = [] }', { kubernetes_host: 'https://a', pem_keys: KEYS }, 403],
    ['required_parameters = ["orchestrator_ca_cert"]', { ...GOOD, kubernetes_ca_cert: CA }, 204],
    ['required_parameters = ["orchestrator_ca_cert"]', GOOD, 403],
  ])('apply to both spellings of a parameter: %s, request %j, status %i', async (rules, input, status) => {
    expect(await statusOf(rules, input)).toBe(status)
  })

  it.each<readonly [rules: string, status: number]>([
    ['denied_parameters = { "audience" = [] }', 403],
    ['denied_parameters = { "audience" = ["b"] }', 204],
    ['denied_parameters = { "token_ttl" = [] }', 204],
    ['required_parameters = ["audience"]', 204],
    ['required_parameters = ["token_ttl"]', 403],
    ['allowed_parameters = { "audience" = ["b"], "*" = [] }', 403],
  ])('apply to typed calls and calls by path that write roles: %s', async (rules, status) => {
    await using world = await openWorld()
    const token = await tokenWith(world, `path "${BASE}/role/*" { capabilities = ["update"] ${rules} }`)
    for (const view of VIEWS) {
      const outcome = await view.ask(world.kernel, 'writeRole', { name: 'web', ...BOUND, audience: 'a' }, { token })
      expect(outcome.status).toBe(status)
    }
  })
})
