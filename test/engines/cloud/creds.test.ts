import { describe, expect, it } from 'vitest'
import { DOCUMENT, HOUR, openCloud, READ_ONLY, ROLE_ARN, ROOT } from './creds-world.ts'

const OTHER_ARN = 'arn:aws:iam::123456789012:role/team/other'

describe('cloud.creds and cloud.sts', () => {
  const roles: Readonly<Record<string, object>> = {
    several: { credential_type: 'assumed_role', role_arns: [ROLE_ARN, OTHER_ARN] },
    user: { credential_type: 'iam_user', policy_document: DOCUMENT },
    oldUser: { arn: READ_ONLY },
    oldRole: { arn: ROLE_ARN },
    oldPolicy: { policy: DOCUMENT },
    broken: { credential_type: 'assumed_role', role_arns: [ROLE_ARN], iam_groups: ['broken'] },
    noObject: { credential_type: 'assumed_role', role_arns: [ROLE_ARN], iam_groups: ['devs'], policy_document: '[]' },
  }
  it.each([
    ['a missing role', 'GET', 'creds/none', {}, 400],
    ['a missing role', 'POST', 'sts/none', {}, 400],
    ['a missing role_arn for a role with several ARNs', 'POST', 'sts/several', {}, 400],
    ['an ARN that the role does not have', 'POST', 'sts/several', { role_arn: `${ROLE_ARN}x` }, 400],
    ['an ARN in upper case', 'POST', 'sts/several', { role_arn: ROLE_ARN.toUpperCase() }, 400],
    ['a truncated ARN', 'POST', 'sts/several', { role_arn: ROLE_ARN.slice(0, -1) }, 400],
    ['an invalid duration', 'POST', 'sts/several', { ttl: 'soon' }, 400],
    ['a negative duration', 'POST', 'sts/several', { ttl: -1 }, 400],
    ['sts for a user role with legacy parameters', 'POST', 'sts/oldUser', {}, 400],
    ['creds for an assumed role with legacy parameters', 'GET', 'creds/oldRole', {}, 400],
    ['an unsupported verb', 'DELETE', 'creds/user', {}, 405],
    ['a LIST request', 'LIST', 'creds', {}, 404],
  ])('refuse %s without a call to the cloud: %s %s with the body %o returns %i', async (_, method, path, body, status) => {
    await using world = await openCloud()
    for (const [name, role] of Object.entries(roles)) await world.kernel.cloud.writeRole({ name, ...role })
    const answer = await world.send(method, `cloud/${path}`, method === 'POST' ? body : undefined)
    expect([answer.status, world.cloud.calls]).toEqual([status, []])
  })

  it.each([
    ['an invalid group policy', 'sts/broken'],
    ['a role document that cannot be combined with group policies', 'creds/noObject'],
  ])('return 400 for %s', async (_, path) => {
    await using world = await openCloud()
    for (const [name, role] of Object.entries(roles)) await world.kernel.cloud.writeRole({ name, ...role })
    expect((await world.send('POST', `cloud/${path}`, {})).status).toBe(400)
    expect(world.cloud.calls.map(({ call }) => call)).not.toContain('assumeRole')
  })

  it('return 400 for a mount without a root configuration', async () => {
    await using world = await openCloud()
    await world.kernel.mounts.createMount({ path: 'fresh', type: 'aws' })
    for (const [name, role] of Object.entries(roles)) await world.kernel.cloud.at('fresh/').writeRole({ name, ...role })
    for (const path of ['creds/user', 'creds/noObject', 'creds/oldPolicy', 'sts/oldPolicy'])
      expect([path, (await world.send('GET', `fresh/${path}`)).status]).toEqual([path, 400])
  })

  it('return 500 without a call to the cloud if the template produces a name that is too long', async () => {
    await using world = await openCloud()
    const { kernel, cloud, send } = world
    await kernel.cloud.configureRoot({ ...ROOT, username_template: 'n'.repeat(33) })
    expect((await send('GET', 'cloud/sts/token')).status).toBe(500)
    expect(cloud.calls).toEqual([])
    expect((await send('GET', 'cloud/creds/user')).status).toBe(200)
    await kernel.cloud.configureRoot({ ...ROOT, username_template: 'n'.repeat(65) })
    const before = cloud.calls.length
    for (const path of ['creds/user', 'creds/session', 'sts/token'])
      expect([path, (await send('GET', `cloud/${path}`)).status]).toEqual([path, 500])
    expect(cloud.calls.length).toBe(before)
  })

  it('return 400 for a federation token role without any policy', async () => {
    await using world = await openCloud()
    const { kernel, cloud, send } = world
    // The group policies count too. A role without any policy cannot be written.
    await expect(
      kernel.cloud.writeRole({ name: 'bare', credential_type: 'federation_token', iam_groups: ['empty'] }),
    ).rejects.toMatchObject({ status: 400 })
    expect((await send('GET', 'cloud/creds/bare')).status).toBe(400)
    expect(cloud.calls).toEqual([])
  })
})

describe('an error that the cloud returns', () => {
  const PATHS = {
    user: ['createUser', 'putUserPolicy', 'createAccessKey'],
    session: ['assumeRole'],
    token: ['getFederationToken'],
    groups: ['listAttachedGroupPolicies', 'listGroupPolicies', 'getGroupPolicy', 'assumeRole'],
  } as const
  const CODES = [
    'AccessDenied',
    'ExpiredToken',
    'NoSuchEntity',
    'LimitExceeded',
    'Throttling',
    'ServiceFailure',
    'ValidationError',
  ]
  const rows = Object.entries(PATHS).flatMap(([role, calls]) =>
    calls.flatMap((call) => CODES.map((code) => ({ role, call, code }))),
  )
  it.each(rows)(
    'leads to status 502 and leaves no user or lease: role $role, $call fails with $code',
    async ({ role, call, code }) => {
      await using world = await openCloud()
      const { kernel, cloud, send, made } = world
      const groups = { credential_type: 'assumed_role', role_arns: [ROLE_ARN], iam_groups: ['devs'] } as const
      await kernel.cloud.writeRole({ name: 'groups', ...groups })
      cloud.trouble({ call, manner: 'refuses', code, times: 10 })
      const answer = await send('GET', `cloud/creds/${role}`)
      expect(answer.status).toBe(502)
      expect(answer.body.errors[0]).toContain(code)
      expect(made()).toEqual([])
      expect((await send('LIST', 'sys/leases/lookup/cloud')).status).toBe(404)
    },
  )
})

describe('cloud.creds for an iam_user role', () => {
  it('returns a working key for each path, each verb and the typed call', async () => {
    await using world = await openCloud()
    const { kernel, cloud, send, made } = world
    const answers = [
      await send('GET', 'cloud/creds/user'),
      await send('POST', 'cloud/creds/user', {}),
      await send('GET', 'cloud/sts/user'),
      await send('POST', 'cloud/sts/user', { ttl: 60, role_arn: 'x', role_session_name: 'y' }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ renewable: true, lease_duration: 3600, data: { security_token: null } })
      expect(Object.keys(body.data).sort()).toEqual(['access_key', 'secret_key', 'security_token'])
      expect(cloud.works(body.data.access_key, body.data.secret_key)).toBe(true)
    }
    expect(answers[0]?.body.lease_id).toMatch(/^cloud\/creds\/user\//)
    expect(answers[2]?.body.lease_id).toMatch(/^cloud\/sts\/user\//)
    const typed = await kernel.cloud.creds({ name: 'user' })
    expect(cloud.works(typed.access_key, typed.secret_key)).toBe(true)
    expect(typed).toMatchObject({ security_token: null, renewable: true, lease_duration: 3600 })
    expect(made()).toHaveLength(5)
  })

  it('creates a user with the groups, policies, tags and path of the role', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made } = world
    await kernel.cloud.writeRole({
      name: 'all@once',
      credential_type: 'iam_user',
      policy_document: DOCUMENT,
      policy_arns: [READ_ONLY],
      iam_groups: ['ops', 'empty'],
      iam_tags: { team: 'blue', cost: '' },
      user_path: '/apps/',
      permissions_boundary_arn: 'arn:aws:iam::aws:policy/Boundary',
    })
    await kernel.cloud.creds({ name: 'all@once' })
    const user = cloud.users.get(made()[0]!)!
    expect(user).toMatchObject({
      path: '/apps/',
      permissionsBoundary: 'arn:aws:iam::aws:policy/Boundary',
      attached: new Set([READ_ONLY]),
      inline: new Map([['all@once', DOCUMENT]]),
      groups: new Set(['ops', 'empty']),
      tags: new Map([
        ['team', 'blue'],
        ['cost', ''],
      ]),
    })
    expect(user.keys).toHaveLength(1)
  })

  it('lets the lease be renewed for the duration of the current lease configuration', async () => {
    await using world = await openCloud()
    const { kernel, clock } = world
    const { lease_id } = await kernel.cloud.creds({ name: 'user' })
    const renewed = async () => (await kernel.leases.renewLease({ lease_id })).lease_duration
    expect(await renewed()).toBe(3600)
    await kernel.cloud.configureLease({ lease: '2h', lease_max: '3h' })
    expect(await renewed()).toBe(7200)
    await clock.advance(1.5 * HOUR)
    expect(await renewed()).toBe(5400)
    await kernel.cloud.configureLease({ lease: '0s', lease_max: '0s' })
    expect(await renewed()).toBeGreaterThan(20 * 24 * 3600)
  })

  it('causes the deletion of the user when the lease expires', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made, pass } = world
    const { access_key, secret_key } = await kernel.cloud.creds({ name: 'user' })
    await pass(HOUR)
    expect([made(), cloud.works(access_key, secret_key)]).toEqual([[], false])
    expect(world.events.map(({ type }) => type)).toContain('lease.expired')
  })

  it('makes no call to the cloud for a token that has only one use left, and returns 400', async () => {
    await using world = await openCloud()
    const { kernel, cloud, send } = world
    for (const path of ['creds/user', 'creds/session']) {
      const { client_token } = await kernel.tokens.createToken({ policies: ['root'], num_uses: 1 })
      expect((await send('GET', `cloud/${path}`, undefined, client_token)).status).toBe(400)
    }
    expect(cloud.calls).toEqual([])
  })
})

describe('temporary credentials', () => {
  it.each([
    ['the default of 3,600 seconds', {}, {}, 3600],
    ['the request', {}, { ttl: '15m' }, 900],
    ['the role’s default', { default_sts_ttl: 1800 }, {}, 1800],
    ['the request, which overrides the role’s default', { default_sts_ttl: 1800 }, { ttl: 2700 }, 2700],
    ['the role’s maximum', { max_sts_ttl: '40m' }, {}, 2400],
    ['the role’s maximum, which limits the request', { max_sts_ttl: '40m' }, { ttl: '41m' }, 2400],
    ['the request, which is below the role’s maximum', { max_sts_ttl: '40m' }, { ttl: '39m' }, 2340],
  ])('have the lifetime of %s: role %o, request %o', async (_, more, request, seconds) => {
    await using world = await openCloud()
    const { kernel, cloud } = world
    await kernel.cloud.writeRole({ name: 'session', ...more })
    const answer = await kernel.cloud.sts({ name: 'session', ...request })
    expect(answer).toMatchObject({ ttl: seconds, lease_duration: seconds, renewable: false })
    expect(cloud.calls.at(-1)?.request).toMatchObject({ durationSeconds: seconds, roleArn: ROLE_ARN })
    expect(cloud.works(answer.access_key, answer.secret_key, answer.security_token ?? '')).toBe(true)
  })

  it('get a lease no longer than the maximum TTL of the mount, even if the role allows more', async () => {
    await using world = await openCloud()
    const { kernel, send } = world
    await kernel.mounts.tuneMount({ path: 'cloud', max_lease_ttl: '50m' })
    expect((await send('GET', 'cloud/creds/session')).body).toMatchObject({
      lease_duration: 3000,
      data: { ttl: 3000 },
      warnings: null,
    })
    await kernel.cloud.writeRole({ name: 'session', max_sts_ttl: '2h' })
    const longer = (await send('POST', 'cloud/sts/session', { ttl: '55m' })).body
    expect(longer).toMatchObject({ lease_duration: 3000, data: { ttl: 3300 } })
    expect(longer.warnings).toHaveLength(1)
  })

  it('are refused with 502 if they have already expired according to the kernel’s clock', async () => {
    await using world = await openCloud({ fake: { now: () => 0 } })
    expect((await world.send('GET', 'cloud/creds/session')).status).toBe(502)
    expect((await world.send('LIST', 'sys/leases/lookup/cloud')).status).toBe(404)
  })

  it('have an ARN that ends with the session name', async () => {
    await using world = await openCloud()
    const { kernel, send } = world
    await kernel.cloud.writeRole({ name: 'two', credential_type: 'assumed_role', role_arns: [ROLE_ARN, OTHER_ARN] })
    const arnOf = async (more: object) => (await send('POST', 'cloud/sts/two', { role_arn: OTHER_ARN, ...more })).body.data.arn
    const prefix = 'arn:aws:sts::123456789012:assumed-role/other/'
    expect(await arnOf({ role_session_name: 'deploy' })).toBe(`${prefix}deploy`)
    expect(await arnOf({ role_session_name: 'a b/c☃d😀' })).toBe(`${prefix}a_b_c_d_`)
    expect(await arnOf({ role_session_name: 'x'.repeat(100) })).toBe(prefix + 'x'.repeat(64))
    expect(await arnOf({ role_session_name: '😀'.repeat(100_000) })).toBe(prefix + '_'.repeat(64))
    expect(await arnOf({ role_session_name: 77 })).toBe(`${prefix}77`)
    expect(await arnOf({ role_session_name: '' })).toMatch(/other\/[\w-]+-root-two-\d+-\w+$/)
  })

  it('have a session name in which the characters that AWS refuses are replaced', async () => {
    await using world = await openCloud()
    const { kernel, send } = world
    await kernel.cloud.writeRole({ name: 'one', credential_type: 'assumed_role', role_arns: [ROLE_ARN] })
    const nameOf = async (role_session_name: string): Promise<string> =>
      (await send('POST', 'cloud/sts/one', { role_session_name })).body.data.arn.split('/').at(-1)
    expect(await nameOf('tab\tand\nline')).toBe('tab_and_line')
    // Covers every character up to U+017F, in strings short enough not to be truncated.
    for (let from = 0; from < 0x180; from += 48) {
      const characters = Array.from({ length: 48 }, (_, offset) => String.fromCodePoint(from + offset)).join('')
      expect(await nameOf(characters)).toBe(characters.replaceAll(/[^\w+=,.@-]/g, '_'))
    }
  })

  it('are requested from the cloud once, even if the transaction runs again', async () => {
    await using world = await openCloud({
      provider: (fake) => fake,
      fake: {
        async pause(call) {
          // A concurrent write changes a record that the transaction has read.
          if (call === 'assumeRole') await world.kernel.cloud.writeRole({ name: 'session', iam_tags: { a: String(at++) } })
        },
      },
    })
    let at = 0
    const { kernel, cloud } = world
    const { access_key } = await kernel.cloud.sts({ name: 'session' })
    expect(access_key).toMatch(/^ASIA/)
    expect(cloud.calls.map(({ call }) => call)).toEqual(['assumeRole'])
  })

  it('are refused with 503 if the role is changed during the cloud call', async () => {
    await using world = await openCloud({
      fake: {
        async pause(call) {
          if (call === 'assumeRole') await world.kernel.cloud.writeRole({ name: 'session', role_arns: [OTHER_ARN] })
        },
      },
    })
    expect((await world.send('GET', 'cloud/creds/session')).status).toBe(503)
    expect(world.cloud.calls).toHaveLength(1)
    expect((await world.send('GET', 'cloud/creds/session')).body.data.arn).toContain('assumed-role/other/')
  })
})
