import { describe, expect, it } from 'vitest'
import { type Input, PATH, TYPED, VIEWS, type View } from './views.ts'
import { BOUND, EVERYBODY, jwtOf, openWorld, type World } from './world.ts'

const write = (world: World, view: View, input: Input) => view.ask(world.kernel, 'writeRole', { name: 'web', ...input })
const read = async (world: World, view: View = TYPED, name = 'web') => (await view.ask(world.kernel, 'readRole', { name })).data

/** The defaults that `readRole` returns for a role that was created with bounds only. */
const DEFAULTS = {
  ...BOUND,
  alias_name_source: 'serviceaccount_uid',
  token_ttl: 0,
  token_max_ttl: 0,
  token_explicit_max_ttl: 0,
  token_period: 0,
  token_policies: [],
  token_bound_cidrs: [],
  token_no_default_policy: false,
  token_num_uses: 0,
  token_type: 'default',
  policies: [],
  ttl: 0,
  max_ttl: 0,
  period: 0,
}

/** Values of every parameter, and the further values that `readRole` then returns. */
const CHANGES: readonly (readonly [input: Input, shown?: Input | undefined])[] = [
  [{ bound_service_account_names: ['a', 'b-*'] }],
  [{ bound_service_account_namespaces: ['*'] }],
  [{ audience: 'strongroom' }],
  [{ alias_name_source: 'serviceaccount_name' }],
  [{ token_ttl: 60 }, { ttl: 60 }],
  [{ token_ttl: '1h30m' }, { token_ttl: 5400, ttl: 5400 }],
  [{ token_max_ttl: 7200 }, { max_ttl: 7200 }],
  [{ token_explicit_max_ttl: '2h' }, { token_explicit_max_ttl: 7200 }],
  [{ token_period: 600 }, { period: 600 }],
  [{ token_policies: ['B', 'a', 'a'] }, { policies: ['B', 'a', 'a'] }],
  [{ token_bound_cidrs: ['10.0.0.0/8', '127.0.0.1/32', '::1/128'] }, { token_bound_cidrs: ['10.0.0.0/8', '127.0.0.1', '::1'] }],
  [{ token_no_default_policy: true }],
  [{ token_num_uses: 7 }],
  [{ token_type: 'service' }],
  [{ policies: ['B', 'a', 'a'] }, { policies: ['a', 'b'], token_policies: ['a', 'b'] }],
  [{ policies: ['a', 'root'] }, { policies: ['root'], token_policies: ['root'] }],
  [{ ttl: 60 }, { token_ttl: 60 }],
  [{ max_ttl: 7200 }, { token_max_ttl: 7200 }],
  [{ period: 600 }, { token_period: 600 }],
  [{ num_uses: 7 }, { token_num_uses: 7 }],
  [{ bound_cidrs: ['127.0.0.1/32'] }, { bound_cidrs: ['127.0.0.1'], token_bound_cidrs: ['127.0.0.1'] }],
]

describe('orchestrator.writeRole', () => {
  it.each(VIEWS)('creates a role with defaults for parameters that the request lacks ($name)', async (view) => {
    await using world = await openWorld()
    expect(await write(world, view, { name: 'other', ...BOUND })).toMatchObject({ status: 204, warnings: [] })
    for (const by of VIEWS) expect(await read(world, by, 'other')).toEqual(DEFAULTS)
  })

  it.each(CHANGES.map(([input, shown = {}]) => [input, shown] as const))(
    'changes only the given parameters: %j',
    async (input, shown) => {
      await using world = await openWorld()
      for (const view of VIEWS) {
        await view.ask(world.kernel, 'deleteRole', { name: 'web' })
        expect((await write(world, view, BOUND)).status).toBe(204)
        expect((await write(world, view, input)).status).toBe(204)
        expect(await read(world, view)).toEqual({ ...DEFAULTS, ...input, ...shown })
      }
    },
  )

  it('keeps parameters of earlier writes that the request lacks', async () => {
    await using world = await openWorld()
    const all = {
      audience: 'a',
      token_ttl: 60,
      token_policies: ['p'],
      num_uses: 3,
      bound_cidrs: ['10.0.0.1'],
      token_type: 'service',
    }
    for (const view of VIEWS) {
      for (const [name, value] of Object.entries(all)) expect((await write(world, view, { [name]: value })).status).toBe(204)
      const twins = { ttl: 60, policies: ['p'], token_num_uses: 3, token_bound_cidrs: ['10.0.0.1'] }
      expect(await read(world, view)).toEqual({ ...DEFAULTS, ...all, ...twins })
      // An empty write changes nothing.
      expect((await write(world, view, {})).status).toBe(204)
      expect(await read(world, view)).toEqual({ ...DEFAULTS, ...all, ...twins })
      await view.ask(world.kernel, 'deleteRole', { name: 'web' })
      await write(world, view, BOUND)
    }
  })

  it('resets a parameter that is set to an empty value', async () => {
    await using world = await openWorld()
    const empty = { audience: '', token_policies: [], token_bound_cidrs: [], token_ttl: '', token_type: '', token_num_uses: 0 }
    for (const view of VIEWS) {
      await write(world, view, {
        audience: 'a',
        token_policies: ['p'],
        token_bound_cidrs: ['::1'],
        token_ttl: 1,
        token_type: 'batch',
      })
      expect((await write(world, view, empty)).status).toBe(204)
      expect(await read(world, view)).toEqual(DEFAULTS)
    }
    // In a call by path, null means that the parameter is missing.
    await PATH.ask(world.kernel, 'writeRole', { name: 'web', audience: 'a' })
    await PATH.ask(world.kernel, 'writeRole', { name: 'web', audience: null, bound_service_account_names: null, token_ttl: null })
    expect(await read(world)).toEqual({ ...DEFAULTS, audience: 'a' })
  })
})

describe('writing a role with legacy and current parameter names', () => {
  const CASES: readonly (readonly [what: string, writes: readonly Input[], shown: Input])[] = [
    ['return the current name alone if only it was written', [{ token_num_uses: 3 }], { token_num_uses: 3 }],
    ['return both names if the legacy name was written', [{ num_uses: 3 }], { num_uses: 3, token_num_uses: 3 }],
    [
      'use the current value if both were written, and return it under both names',
      [{ num_uses: 5, token_num_uses: 3 }],
      { num_uses: 3, token_num_uses: 3 },
    ],
    ['remove the legacy value when the current name is written', [{ num_uses: 5 }, { token_num_uses: 3 }], { token_num_uses: 3 }],
    [
      'restore the legacy name when it is written again',
      [{ token_num_uses: 3 }, { num_uses: 5 }],
      { num_uses: 5, token_num_uses: 5 },
    ],
    ['keep the legacy value if neither is written', [{ num_uses: 5 }, { audience: '' }], { num_uses: 5, token_num_uses: 5 }],
    [
      'use the current list if both were written',
      [{ bound_cidrs: ['::1'], token_bound_cidrs: ['::2'] }],
      { bound_cidrs: ['::2'], token_bound_cidrs: ['::2'] },
    ],
    [
      'remove a legacy list when the current name is written',
      [{ bound_cidrs: ['::1'] }, { token_bound_cidrs: ['::2'] }],
      { token_bound_cidrs: ['::2'] },
    ],
    ['use the current TTL if both were written', [{ ttl: 90, token_ttl: 30 }], { ttl: 30, token_ttl: 30 }],
    [
      'use the current policies if both were written',
      [{ policies: ['Old'], token_policies: ['New'] }],
      { policies: ['New'], token_policies: ['New'] },
    ],
    ['prefer an empty current list to a legacy value', [{ token_policies: [], policies: ['a'] }], {}],
    ['prefer a current zero to a legacy value', [{ token_ttl: 0, ttl: 90 }], {}],
  ]
  it.each(CASES)('%s', async (_, writes, shown) => {
    for (const view of VIEWS) {
      await using world = await openWorld()
      for (const input of writes) expect((await write(world, view, input)).status).toBe(204)
      expect(await read(world, view)).toEqual({ ...DEFAULTS, ...shown })
    }
  })
})

describe('role names', () => {
  it('are case-insensitive, and listed in lower case in byte order', async () => {
    await using world = await openWorld()
    for (const view of VIEWS) {
      for (const name of ['Zebra', 'a-B', 'A_b', 'a.b', '__proto__', 'Constructor', '9'])
        await write(world, view, { name, ...EVERYBODY })
      const { data } = await view.ask(world.kernel, 'listRoles')
      expect(data).toEqual({ keys: ['9', '__proto__', 'a-b', 'a.b', 'a_b', 'constructor', 'web', 'zebra'] })
      await write(world, view, { name: 'zEBRA', audience: 'x' })
      expect(await read(world, view, 'ZEBRA')).toMatchObject({ ...EVERYBODY, audience: 'x' })
      for (const role of ['zebra', 'ZEBRA', '__PROTO__']) {
        const { auth, status } = await world.login(view, jwtOf(undefined, { aud: 'x' }), { role })
        expect({ status, role: auth?.metadata?.['role'] }).toEqual({ status: 200, role })
      }
      expect((await view.ask(world.kernel, 'deleteRole', { name: 'ZebrA' })).status).toBe(204)
      expect((await view.ask(world.kernel, 'readRole', { name: 'zebra' })).status).toBe(404)
    }
  })

  it.each(['-x', 'x-', '.x', 'x.', 'a b', 'ü', 'a/b', '*'])('are refused if invalid: %j', async (name) => {
    await using world = await openWorld()
    for (const view of VIEWS) {
      for (const operation of ['writeRole', 'readRole', 'deleteRole'] as const)
        expect((await view.ask(world.kernel, operation, { name, ...(operation === 'writeRole' && BOUND) })).status).toBe(404)
      expect((await world.login(view, jwtOf(), { role: name })).status).toBe(400)
    }
  })

  it('are refused if they are too long for a store key', async () => {
    await using world = await openWorld()
    for (const view of VIEWS) {
      expect((await write(world, view, { name: 'x'.repeat(1_000), ...BOUND })).status).toBe(204)
      expect(await write(world, view, { name: 'x'.repeat(2_000), ...BOUND })).toMatchObject({
        status: 400,
        errors: [expect.stringMatching(/name/)],
      })
      expect((await world.login(view, jwtOf(), { role: 'x'.repeat(100_000) })).status).toBe(400)
    }
  })
})
