import { describe, expect, it } from 'vitest'
import { type Input, PATH, REFUSED, TYPED, VIEWS } from './views.ts'
import { BOUND, HOST, jwtOf, KEYS, openWorld, WEB, type World } from './world.ts'

/** 768 hours, in seconds. */
const SYSTEM_TTL = 2_764_800

const lookup = (world: World, token: string) => world.kernel.tokens.lookupToken({ token })

interface Case {
  readonly what: string
  readonly role?: Input
  readonly tune?: Input
  readonly auth: Input
  readonly token?: Input
  readonly warnings?: readonly RegExp[]
}

const SETTINGS: readonly Case[] = [
  {
    what: 'the defaults of the mount',
    auth: {
      lease_duration: SYSTEM_TTL,
      policies: ['default'],
      token_type: 'service',
      renewable: true,
      orphan: true,
      num_uses: 0,
    },
    token: {
      creation_ttl: SYSTEM_TTL,
      explicit_max_ttl: 0,
      display_name: 'orchestrator-prod-web',
      path: 'auth/orchestrator/login',
    },
  },
  { what: 'role TTL', role: { token_ttl: '10m' }, auth: { lease_duration: 600 }, token: { ttl: 600, creation_ttl: 600 } },
  { what: 'role TTL by its legacy name', role: { ttl: '10m' }, auth: { lease_duration: 600 } },
  { what: 'role TTL below the role maximum', role: { token_ttl: 600, token_max_ttl: 1800 }, auth: { lease_duration: 600 } },
  {
    what: 'role maximum below the default TTL',
    role: { token_max_ttl: '30m' },
    auth: { lease_duration: 1800 },
    token: { explicit_max_ttl: 0 },
    warnings: [/TTL of "768h" exceeded .* "30m"/],
  },
  {
    what: 'explicit maximum',
    role: { token_explicit_max_ttl: '5m', token_ttl: '1h' },
    auth: { lease_duration: 300 },
    token: { explicit_max_ttl: 300 },
    warnings: [/TTL of "1h" exceeded .* "5m"/],
  },
  {
    what: 'period beyond the role maximum',
    role: { token_period: '20m', token_ttl: '5m', token_max_ttl: '5m' },
    auth: { lease_duration: 300 },
    warnings: [/period of "20m" exceeded .* "5m"/],
  },
  { what: 'period', role: { token_period: 1200, token_ttl: 60 }, auth: { lease_duration: 1200 }, token: { period: 1200 } },
  {
    what: 'period beyond the explicit maximum',
    role: { token_period: 1200, token_explicit_max_ttl: 600 },
    auth: { lease_duration: 600 },
    token: { period: 1200, explicit_max_ttl: 600 },
    warnings: [/period of "20m" exceeded .* "10m"/],
  },
  { what: 'default TTL of the mount', tune: { default_lease_ttl: '1m' }, auth: { lease_duration: 60 } },
  { what: 'mount maximum below the default TTL', tune: { max_lease_ttl: '1m' }, auth: { lease_duration: 60 } },
  {
    what: 'mount maximum below the role TTL',
    role: { token_ttl: 600 },
    tune: { max_lease_ttl: '1m' },
    auth: { lease_duration: 60 },
    warnings: [/TTL of "10m" exceeded .* "1m"/],
  },
  {
    what: 'mount maximum above the system’s',
    role: { token_ttl: '800h' },
    tune: { max_lease_ttl: '900h' },
    auth: { lease_duration: 2_880_000 },
  },
  { what: 'number of uses', role: { token_num_uses: 3 }, auth: { num_uses: 3, renewable: true }, token: { num_uses: 3 } },
  { what: 'number of uses by its legacy name', role: { num_uses: 3 }, auth: { num_uses: 3 } },
  {
    what: 'policies, sorted and deduplicated',
    role: { token_policies: ['b', ' A', 'a', 'B '] },
    auth: { policies: ['a', 'b', 'default'], token_policies: ['a', 'b', 'default'] },
    token: { policies: ['a', 'b', 'default'] },
  },
  { what: 'policies by their legacy name', role: { policies: ['b', 'A'] }, auth: { policies: ['a', 'b', 'default'] } },
  {
    what: 'policies without the default policy',
    role: { token_policies: ['a'], token_no_default_policy: true },
    auth: { policies: ['a'] },
  },
  { what: 'no policies', role: { token_no_default_policy: true }, auth: { policies: [] }, token: { policies: [] } },
  {
    what: 'default policy given by name',
    role: { token_policies: ['Default'], token_no_default_policy: true },
    auth: { policies: ['default'] },
  },
]

describe('the token that a login returns', () => {
  it.each(SETTINGS)(
    'has the lifetime, uses and policies that role and mount specify: $what',
    async ({ role = {}, tune, auth, token = {}, warnings = [] }) => {
      await using world = await openWorld({ role })
      if (tune) await world.kernel.mounts.tuneAuthMethod({ path: 'orchestrator', ...tune })
      for (const view of VIEWS) {
        const outcome = await world.login(view, jwtOf())
        expect(outcome).toMatchObject({ status: 200, auth: { ...auth, metadata: { service_account_uid: WEB.uid, role: 'web' } } })
        expect(outcome.warnings).toEqual(warnings.map((said) => expect.stringMatching(said)))
        const { client_token = '', accessor } = outcome.auth ?? {}
        const shown = { accessor, meta: outcome.auth?.metadata, entity_id: outcome.auth?.entity_id, orphan: true, ...token }
        expect(await lookup(world, client_token)).toMatchObject(shown)
      }
    },
  )
})

describe('the type of a login token', () => {
  const TUNED = ['default-service', 'default-batch', 'service', 'batch'] as const
  const ASKED = ['', 'default', 'service', 'batch'] as const
  const typeOf = (tuned: (typeof TUNED)[number], roleType: (typeof ASKED)[number]): string => {
    if (tuned === 'service' || tuned === 'batch') return tuned
    if (roleType === 'service' || roleType === 'batch') return roleType
    return tuned.slice('default-'.length)
  }
  const ALL = TUNED.flatMap((tuned) => ASKED.map((roleType) => [tuned, roleType, typeOf(tuned, roleType)] as const))

  it.each(ALL)('with the mount setting %s and the role setting %j is %s', async (token_type, roleType, type) => {
    await using world = await openWorld({ role: { token_type: roleType } })
    await world.kernel.mounts.tuneAuthMethod({ path: 'orchestrator', token_type })
    const service = type === 'service'
    for (const view of VIEWS) {
      const { auth } = await world.login(view, jwtOf())
      expect(auth).toMatchObject({ token_type: type, renewable: service, orphan: true, num_uses: 0 })
      expect(auth?.client_token.slice(0, 2)).toBe(service ? 's.' : 'b.')
      expect((auth?.accessor ?? '') !== '').toBe(service)
      const found = await lookup(world, auth?.client_token ?? '')
      expect(found).toMatchObject({
        type,
        display_name: 'orchestrator-prod-web',
        meta: auth?.metadata,
        entity_id: auth?.entity_id,
      })
    }
  })

  it.each<readonly [name: string, role: Input, tuned: 'batch' | 'default-batch' | 'default-service']>([
    ['token_explicit_max_ttl', { token_explicit_max_ttl: 60, token_type: 'batch' }, 'default-service'],
    ['token_explicit_max_ttl', { token_explicit_max_ttl: 60 }, 'batch'],
    ['token_num_uses', { token_num_uses: 1 }, 'batch'],
    ['token_num_uses', { token_num_uses: 1, token_type: 'service' }, 'batch'],
    ['token_period', { token_period: 60 }, 'default-batch'],
  ])('cannot be batch with %s: role %j, mount setting %s', async (name, role, token_type) => {
    await using world = await openWorld({ role })
    await world.kernel.mounts.tuneAuthMethod({ path: 'orchestrator', token_type })
    for (const view of VIEWS)
      expect(await world.login(view, jwtOf())).toMatchObject({ status: 400, errors: [expect.stringContaining(name)] })
    await world.kernel.mounts.tuneAuthMethod({ path: 'orchestrator', token_type: 'service' })
    for (const view of VIEWS) expect((await world.login(view, jwtOf())).auth).toMatchObject({ token_type: 'service' })
  })
})

it('a login is refused if the role has the root policy', async () => {
  for (const role of [{ token_policies: ['root'] }, { token_policies: ['a', ' ROOT'] }, { policies: ['root', 'a'] }]) {
    await using world = await openWorld({ role })
    for (const view of VIEWS)
      expect(await world.login(view, jwtOf())).toMatchObject({ status: 400, errors: ['auth methods cannot create root tokens'] })
  }
})

describe('a role bound to networks', () => {
  const role = { token_bound_cidrs: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'] }

  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['2001:db8:1::7', true],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['2001:db9::7', false],
    ['010.1.2.3', false],
    ['10.1.2.3/8', false],
    ['nobody', false],
    ['', false],
    [undefined, false],
  ])('accepts logins from %s: %s', async (address, bound) => {
    await using world = await openWorld({ role })
    for (const view of VIEWS) {
      const outcome = await world.login(view, jwtOf(), { address })
      expect(outcome).toMatchObject(bound ? { status: 200 } : REFUSED)
    }
  })

  it('gives tokens that are valid only in the same networks', async () => {
    await using world = await openWorld({ role })
    const { auth } = await world.login(TYPED, jwtOf(), { address: '10.1.2.3' })
    const token = auth?.client_token ?? ''
    expect((await lookup(world, token)).bound_cidrs).toEqual(role.token_bound_cidrs)
    const look = (remoteAddress?: string) =>
      world.kernel.handle({
        method: 'GET',
        path: '/v1/auth/token/lookup-self',
        headers: { 'X-Service-Token': token },
        remoteAddress,
      })
    expect((await look('10.9.9.9')).status).toBe(200)
    expect((await look('192.0.2.8')).status).toBe(403)
    expect((await look()).status).toBe(403)
    expect(await world.kernel.as(token, { remoteAddress: '192.0.2.7' }).tokens.lookupSelf({})).toMatchObject({ id: token })
    // Later changes of the role do not affect existing tokens.
    await world.kernel.orchestrator.writeRole({ name: 'web', token_bound_cidrs: ['192.0.2.8'] })
    expect((await look('10.9.9.9')).status).toBe(200)
  })
})

it.each([
  ['k8s', 'k8s-prod-web'],
  ['team/k8s', 'team-k8s-prod-web'],
  ['a/b-c/d', 'a-b-c-d-prod-web'],
])('a login token of the mount %s has the display name %s', async (at, display_name) => {
  await using world = await openWorld()
  await world.kernel.mounts.createAuthMethod({ path: at, type: 'orchestrator' })
  await PATH.ask(world.kernel, 'configure', { orchestrator_host: HOST, pem_keys: KEYS }, { at })
  await PATH.ask(world.kernel, 'writeRole', { name: 'web', ...BOUND }, { at })
  for (const view of VIEWS) {
    const { auth } = await world.login(view, jwtOf(), { at })
    expect(await lookup(world, auth?.client_token ?? '')).toMatchObject({ display_name, path: `auth/${at}/login` })
  }
})
