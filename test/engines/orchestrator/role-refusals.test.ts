import { describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { type Input, PATH, TYPED, VIEWS } from './views.ts'
import { BOUND, openWorld } from './world.ts'

/** In Vault's order of checks. Each request has the mistake of one row and of all later rows. */
const MISTAKES: readonly (readonly [parameter: string, input: Input])[] = [
  ['token_num_uses', { token_num_uses: -1 }],
  ['token_period', { token_period: '769h' }],
  ['token_ttl', { token_ttl: 2, token_max_ttl: 1 }],
  ['bound_service_account_names', { bound_service_account_names: [] }],
  ['bound_service_account_namespaces', { bound_service_account_namespaces: ['*', 'prod'] }],
  ['alias_name_source', { alias_name_source: 'name' }],
]

it.each(MISTAKES.map(([parameter], at) => [parameter, at] as const))(
  'orchestrator.writeRole reports an invalid %s before other invalid parameters',
  async (parameter, at) => {
    await using world = await openWorld()
    const before = (await TYPED.ask(world.kernel, 'readRole', { name: 'web' })).data
    const wrong = Object.assign({}, ...MISTAKES.slice(at).map(([, input]) => input))
    for (const view of VIEWS) {
      for (const name of ['web', 'new']) {
        const outcome = await view.ask(world.kernel, 'writeRole', { ...BOUND, ...wrong, name })
        expect(outcome).toMatchObject({ status: 400, errors: [expect.stringContaining(`${parameter}:`)] })
      }
      expect((await view.ask(world.kernel, 'readRole', { name: 'web' })).data).toEqual(before)
      expect((await view.ask(world.kernel, 'readRole', { name: 'new' })).status).toBe(404)
    }
  },
)

const NAMES = 'bound_service_account_names'
const SPACES = 'bound_service_account_namespaces'

describe('orchestrator.writeRole', () => {
  it.each<readonly [message: string, input: Input]>([
    [NAMES, { [SPACES]: ['a'] }],
    [SPACES, { [NAMES]: ['a'] }],
    [NAMES, { ...BOUND, [NAMES]: [] }],
    [NAMES, { ...BOUND, [NAMES]: ['*', 'a'] }],
    [NAMES, { ...BOUND, [NAMES]: ['*', '*'] }],
    [NAMES, { ...BOUND, [NAMES]: ['*', ''] }],
    [SPACES, { ...BOUND, [SPACES]: ['a', '*'] }],
    ['alias_name_source', { ...BOUND, alias_name_source: 'Serviceaccount_uid' }],
    ['alias_name_source', { ...BOUND, alias_name_source: 'constructor' }],
    ['token_type', { ...BOUND, token_type: 'default-batch' }],
    ['token_type', { ...BOUND, token_type: 'Batch' }],
    ['token_type', { ...BOUND, token_type: 'batch', period: 60 }],
    ['token_type', { ...BOUND, token_type: 'batch', num_uses: 1 }],
    ['num_uses', { ...BOUND, num_uses: -1 }],
    ['ttl', { ...BOUND, ttl: 61, token_max_ttl: 60 }],
    ['token_ttl', { ...BOUND, token_ttl: '2h', max_ttl: '1h' }],
    ['period', { ...BOUND, period: 2_764_801 }],
    ['token_ttl', { ...BOUND, token_ttl: -1 }],
    ['token_max_ttl', { ...BOUND, token_max_ttl: 'soon' }],
    ['token_explicit_max_ttl', { ...BOUND, token_explicit_max_ttl: 1.5 }],
    ['token_period', { ...BOUND, token_period: Number.MAX_SAFE_INTEGER + 1 }],
    ['token_num_uses', { ...BOUND, token_num_uses: 1.5 }],
    ...[
      'nowhere',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0',
      '::/129',
      '::1::2',
      '/8',
      '10.0.0.0/8.5',
    ].map((network) => ['token_bound_cidrs', { ...BOUND, token_bound_cidrs: ['10.0.0.0/8', network] }] as const),
    ['token_bound_cidrs', { ...BOUND, token_bound_cidrs: [''] }],
  ])('refuses an invalid %s: %j', async (message, input) => {
    await using world = await openWorld()
    for (const view of VIEWS) {
      const outcome = await view.ask(world.kernel, 'writeRole', { name: 'new', ...input })
      expect(outcome).toMatchObject({ status: 400, errors: [expect.stringContaining(message)] })
      expect((await view.ask(world.kernel, 'readRole', { name: 'new' })).status).toBe(404)
    }
  })

  it('refuses an empty alias_name_source for an existing role', async () => {
    await using world = await openWorld()
    for (const view of VIEWS) {
      const empty = (name: string) => view.ask(world.kernel, 'writeRole', { name, ...BOUND, alias_name_source: '' })
      expect((await empty(`new-${view.name}`)).status).toBe(204)
      expect(await empty('web')).toMatchObject({ status: 400, errors: [expect.stringContaining('alias_name_source')] })
    }
  })

  it('validates the new parameters together with the stored ones', async () => {
    await using world = await openWorld({ role: { token_max_ttl: 60, token_num_uses: 2 } })
    for (const view of VIEWS) {
      const change = (input: Input) => view.ask(world.kernel, 'writeRole', { name: 'web', ...input })
      expect(await change({ token_ttl: 61 })).toMatchObject({ status: 400, errors: [expect.stringContaining('token_ttl')] })
      expect(await change({ token_type: 'batch' })).toMatchObject({
        status: 400,
        errors: [expect.stringContaining('token_type')],
      })
      expect((await change({ token_type: 'batch', token_num_uses: 0 })).status).toBe(204)
      expect((await change({ token_num_uses: 2, token_type: 'default' })).status).toBe(204)
    }
  })
})

it('orchestrator.writeRole warns about a token_max_ttl above the mount’s maximum TTL, but refuses a token_period above it', async () => {
  await using world = await openWorld()
  await world.kernel.mounts.tuneAuthMethod({ path: 'orchestrator', max_lease_ttl: '1h' })
  for (const view of VIEWS) {
    const change = (input: Input) => view.ask(world.kernel, 'writeRole', { name: 'web', ...input })
    expect(await change({ token_max_ttl: '1h' })).toMatchObject({ status: 204, warnings: [] })
    expect(await change({ token_max_ttl: '2h' })).toMatchObject({
      status: 200,
      warnings: [expect.stringContaining('token_max_ttl')],
    })
    expect((await change({ token_period: '1h' })).status).toBe(200)
    expect(await change({ token_period: 3601 })).toMatchObject({ status: 400, errors: [expect.stringContaining('token_period')] })
    await change({ token_period: 0, token_max_ttl: 0 })
  }
})

describe('role parameters of the wrong type', () => {
  /** Wrong values by the declared type of the parameter. */
  const WRONG = {
    text: [7, true, [], {}, Symbol('x'), () => 'x'],
    list: ['a', 7, true, {}, [7], [null], new Set(['a'])],
    bool: ['true', 1, [], {}],
    int: ['1', true, [], {}, 1n],
    duration: [true, [], {}, 1n],
  }
  const TYPES: Readonly<Record<string, keyof typeof WRONG>> = {
    name: 'text',
    audience: 'text',
    alias_name_source: 'text',
    token_type: 'text',
    [NAMES]: 'list',
    [SPACES]: 'list',
    token_policies: 'list',
    policies: 'list',
    token_bound_cidrs: 'list',
    bound_cidrs: 'list',
    token_no_default_policy: 'bool',
    token_num_uses: 'int',
    num_uses: 'int',
    token_ttl: 'duration',
    token_max_ttl: 'duration',
    token_explicit_max_ttl: 'duration',
    token_period: 'duration',
    ttl: 'duration',
    max_ttl: 'duration',
    period: 'duration',
  }
  type Write = (input: Input) => Promise<unknown>
  const typed = (kernel: Kernel) => ((input: Input) => kernel.orchestrator.writeRole(input as never)) as Write

  it('are refused with a TypeError that names the parameter in a typed call', async () => {
    await using world = await openWorld()
    const write = typed(world.kernel)
    for (const [name, type] of Object.entries(TYPES))
      for (const value of WRONG[type]) {
        const call = write({ name: 'web', ...BOUND, [name]: value })
        await expect(call).rejects.toThrow(TypeError)
        await expect(call).rejects.toThrow(`${name}: `)
      }
    for (const [input, message] of [
      [{ ...BOUND }, 'name: '],
      [{ name: 'web', token_strictly_bind_ip: true }, 'token_strictly_bind_ip: '],
    ] as const)
      await expect(write(input)).rejects.toThrow(
        expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
      )
    expect(await TYPED.ask(world.kernel, 'listRoles')).toMatchObject({ data: { keys: ['web'] } })
  })

  it.each([
    [NAMES, { a: 1 }],
    [NAMES, [['a']]],
    [NAMES, [null]],
    ['token_ttl', [60]],
    ['token_num_uses', {}],
    ['token_no_default_policy', 'perhaps'],
    ['audience', ['a']],
    ['token_type', { type: 'batch' }],
  ])('are refused with 400 in a call by path: %s %j', async (name, value) => {
    await using world = await openWorld()
    const outcome = await PATH.ask(world.kernel, 'writeRole', { name: 'web', [name]: value })
    expect(outcome).toMatchObject({ status: 400, errors: [expect.stringContaining(name)] })
  })
})
