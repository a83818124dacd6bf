import { describe, expect, it } from 'vitest'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import type { FakeCloudExtra } from '../../../src/testing/index.ts'
import { runs } from '../../fixtures/runs.ts'
import { type CloudWorld, DOCUMENT, HOUR, MINUTE, openCloud, READ_ONLY } from './creds-world.ts'

const EXTRAS: readonly FakeCloudExtra[] = [
  'login_profile',
  'mfa_device',
  'ssh_key',
  'signing_certificate',
  'service_specific_credential',
]

const LEASES = runs({ quick: 200, soak: 1_000 })

/** The number of irrevocable leases. */
const irrevocable = async ({ kernel }: CloudWorld): Promise<number> =>
  (await kernel.leases.countLeases({ type: 'irrevocable' })).lease_count

const calls = ({ cloud }: CloudWorld, from = 0): readonly string[] => cloud.calls.slice(from).map(({ call }) => call)

/** Creates users with leases. */
const several = (world: CloudWorld, count: number) =>
  Promise.all(Array.from({ length: count }, () => world.kernel.cloud.creds({ name: 'user' })))

describe('revocation of a cloud user', () => {
  it('deletes the keys, policies and group memberships before the user', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made } = world
    const role = { policy_document: DOCUMENT, policy_arns: [READ_ONLY], iam_groups: ['ops', 'empty'] }
    await kernel.cloud.writeRole({ name: 'all', credential_type: 'iam_user', ...role })
    const { lease_id, access_key, secret_key } = await kernel.cloud.creds({ name: 'all' })
    cloud.addKey(made()[0]!)
    const before = cloud.calls.length
    await kernel.leases.revokeLease({ lease_id, sync: true })
    expect(calls(world, before)).toEqual([
      'listGroupsForUser',
      'listUserPolicies',
      'listAttachedUserPolicies',
      'listAccessKeys',
      'deleteAccessKey',
      'deleteAccessKey',
      'detachUserPolicy',
      'deleteUserPolicy',
      'removeUserFromGroup',
      'removeUserFromGroup',
      'deleteUser',
    ])
    expect([made(), cloud.works(access_key, secret_key)]).toEqual([[], false])
  })

  it.each([
    'listGroupsForUser',
    'listUserPolicies',
    'listAttachedUserPolicies',
    'listAccessKeys',
    'deleteAccessKey',
    'detachUserPolicy',
    'deleteUserPolicy',
    'removeUserFromGroup',
    'deleteUser',
  ] as const)('attaches a deny-all policy if the cloud refuses %s, and deletes the user once that is allowed', async (call) => {
    await using world = await openCloud()
    const { kernel, cloud, made } = world
    const role = { policy_document: DOCUMENT, policy_arns: [READ_ONLY], iam_groups: ['ops'] }
    await kernel.cloud.writeRole({ name: 'all', credential_type: 'iam_user', ...role })
    const { lease_id, access_key, secret_key } = await kernel.cloud.creds({ name: 'all' })
    const [name] = made()
    const calm = cloud.trouble({ call, manner: 'refuses', times: 1000 })
    await expect(kernel.leases.revokeLease({ lease_id, sync: true })).rejects.toMatchObject({ code: 'ERR_UPSTREAM' })
    const user = cloud.users.get(name!)!
    expect(JSON.parse(user.inline.get('strongroom-revoked')!).Statement).toEqual([{ Effect: 'Deny', Action: '*', Resource: '*' }])
    if (call !== 'listAccessKeys') expect(cloud.works(access_key, secret_key)).toBe(false)
    calm()
    await world.pass(HOUR)
    expect(made()).toEqual([])
  })

  it('vault#16685: deletes objects that were added to the user later if deleteUser fails', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made } = world
    const { lease_id } = await kernel.cloud.creds({ name: 'user' })
    cloud.giveExtras(made()[0]!, EXTRAS)
    const before = cloud.calls.length
    await kernel.leases.revokeLease({ lease_id, sync: true })
    expect(made()).toEqual([])
    expect(calls(world, before).slice(-3)).toEqual(['deleteUser', 'deleteUserExtras', 'deleteUser'])
  })

  it('vault#5190: succeeds if the user has already been deleted', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made, clock } = world
    const { lease_id } = await kernel.cloud.creds({ name: 'user' })
    cloud.removeUser(made()[0]!)
    await clock.advance(5 * MINUTE)
    await kernel.leases.revokeLease({ lease_id, sync: true })
    await expect(kernel.leases.lookupLease({ lease_id })).rejects.toMatchObject({ status: 400 })
    expect(world.events.at(-1)).toMatchObject({ type: 'lease.revoked' })
  })

  it('does not treat a recently created user as deleted if the cloud answers that the user does not exist', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made, pass } = world
    const { lease_id } = await kernel.cloud.creds({ name: 'user' })
    const unseen = cloud.trouble({ call: 'listGroupsForUser', manner: 'refuses', code: 'NoSuchEntity', times: 1000 })
    await expect(kernel.leases.revokeLease({ lease_id, sync: true })).rejects.toMatchObject({ status: 502 })
    for (let minute = 0; minute < 4; minute++) await pass(MINUTE)
    expect(made()).toHaveLength(1)
    unseen()
    await pass(MINUTE)
    expect([made(), await irrevocable(world)]).toEqual([[], 0])
  })

  it('is retried after a failure, and the lease is finally marked irrevocable', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made, pass } = world
    const { lease_id } = await kernel.cloud.creds({ name: 'user' })
    const end = cloud.trouble({ call: 'deleteUser', manner: 'refuses', times: 1000 })
    await expect(kernel.leases.revokeLease({ lease_id, sync: true })).rejects.toMatchObject({
      status: 502,
      message:
        'deleteUser: the cloud refused the credentials of the root configuration, or they lack the permission (AccessDenied)',
    })
    for (let hours = 0; hours < 12; hours++) await pass(HOUR)
    expect([made().length, await irrevocable(world)]).toEqual([1, 1])
    end()
    await pass(HOUR)
    expect([made().length, await irrevocable(world)]).toEqual([0, 0])
  })

  it('makes no cloud call for temporary credentials', async () => {
    await using world = await openCloud()
    const { kernel, cloud } = world
    for (const name of ['session', 'token']) {
      const { lease_id } = await kernel.cloud.sts({ name })
      const before = cloud.calls.length
      await expect(kernel.leases.renewLease({ lease_id })).rejects.toMatchObject({ status: 400 })
      await kernel.leases.revokeLease({ lease_id, sync: true })
      expect(cloud.calls.length).toBe(before)
    }
  })

  it('succeeds even if the role was deleted', async () => {
    await using world = await openCloud()
    const { kernel, made } = world
    const { lease_id } = await kernel.cloud.creds({ name: 'user' })
    await kernel.cloud.deleteRole({ name: 'user' })
    await kernel.leases.revokeLease({ lease_id, sync: true })
    expect(made()).toEqual([])
  })

  it('leaves the user in place if the revocation is forced and the cloud refuses to delete the user', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made } = world
    const { lease_id } = await kernel.cloud.creds({ name: 'user' })
    cloud.trouble({ call: 'deleteUser', manner: 'refuses' })
    await kernel.leases.forceRevokePrefix({ prefix: 'cloud' })
    await expect(kernel.leases.lookupLease({ lease_id })).rejects.toMatchObject({ status: 400 })
    expect(made()).toHaveLength(1)
  })
})

describe('vault#2735: a cloud that throttles requests', () => {
  it.each([true, false])(
    `does not prevent the revocation of ${LEASES} leases by prefix (sync: %s) if it throttles every third call`,
    async (sync) => {
      // Each call takes one turn of the event loop, so that many can be in flight.
      await using world = await openCloud({ fake: { pause: () => new Promise((resolve) => setImmediate(resolve)) } })
      const { kernel, cloud, made, pass } = world
      for (let count = 0; count < LEASES; count += 50) await several(world, 50)
      expect(made()).toHaveLength(LEASES)
      let most = 0
      cloud.trouble({ manner: 'throttled', every: 3, times: Number.POSITIVE_INFINITY })
      const watch = setInterval(() => {
        most = Math.max(most, cloud.in_flight)
      }, 0)
      await kernel.leases.revokePrefix({ prefix: 'cloud/creds/user', sync })
      for (let ticks = 0; ticks < 10 && made().length > 0; ticks++) await pass(MINUTE)
      clearInterval(watch)
      expect([made().length, await irrevocable(world)]).toEqual([0, 0])
      expect(world.events.filter(({ type }) => type === 'lease.irrevocable')).toEqual([])
      expect(most).toBeLessThanOrEqual(8)
    },
  )

  it('gets at most eight concurrent requests to remove users', async () => {
    const held: (() => void)[] = []
    let holds = false
    const pause = () => (holds ? new Promise<void>((resolve) => void held.push(resolve)) : Promise.resolve())
    await using world = await openCloud({ fake: { pause } })
    const { kernel, made } = world
    await several(world, 40)
    holds = true
    const revoked = kernel.leases.revokePrefix({ prefix: 'cloud', sync: true })
    let ended = false
    void revoked.finally(() => {
      ended = true
    })
    const seen = new Set<number>()
    while (!ended) {
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
      seen.add(held.length)
      for (const release of held.splice(0)) release()
    }
    expect([Math.max(...seen), made().length]).toEqual([8, 0])
  })

  it('uses up no revocation attempts', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made, pass } = world
    await several(world, 20)
    const end = cloud.trouble({ manner: 'throttled', times: Number.POSITIVE_INFINITY })
    await kernel.leases.revokePrefix({ prefix: 'cloud', sync: false })
    const callCounts: number[] = []
    for (let hour = 0; hour < 6; hour++) {
      const before = cloud.calls.length
      for (let minute = 0; minute < 60; minute++) await pass(MINUTE)
      callCounts.push(cloud.calls.length - before)
    }
    expect([made().length, await irrevocable(world)]).toEqual([20, 0])
    // One attempt every five minutes, for at most eight removals.
    expect(Math.max(...callCounts.slice(1))).toBeLessThanOrEqual(12 * 8 * 4)
    end()
    for (let minute = 0; minute < 10; minute++) await pass(MINUTE)
    expect([made().length, await irrevocable(world)]).toEqual([0, 0])
  })

  it('does not delay revocations after the root configuration was replaced', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made, pass } = world
    await several(world, 3)
    const end = cloud.trouble({ manner: 'throttled', times: Number.POSITIVE_INFINITY })
    await kernel.leases.revokePrefix({ prefix: 'cloud', sync: false })
    await pass(0)
    end()
    await kernel.cloud.configureRoot({
      access_key: cloud.addKey('app-one').accessKeyId,
      secret_key: cloud.users.get('app-one')!.keys.at(-1)!.secretAccessKey,
    })
    await several(world, 1)
    await kernel.leases.revokePrefix({ prefix: 'cloud', sync: true })
    expect(made()).toEqual([])
  })

  it('does not delay revocations of other mounts', async () => {
    await using world = await openCloud()
    const { kernel, cloud, made, pass } = world
    await kernel.mounts.createMount({ path: 'other', type: 'cloud' })
    const otherCloud = kernel.cloud.at('other/')
    await otherCloud.configureRoot({ access_key: 'AKIAROOTROOTROOTROOT', secret_key: 'root-secret-root-secret-root-secret-0000' })
    await otherCloud.writeRole({ name: 'user', credential_type: 'iam_user', policy_document: DOCUMENT })
    await kernel.cloud.creds({ name: 'user' })
    await otherCloud.creds({ name: 'user' })
    const end = cloud.trouble({ manner: 'throttled', times: 4 })
    await kernel.leases.revokePrefix({ prefix: 'cloud', sync: false })
    await pass(0)
    end()
    expect(made()).toHaveLength(2)
    await kernel.leases.revokePrefix({ prefix: 'other', sync: false })
    await pass(0)
    expect(made()).toHaveLength(1)
  })
})

it('a cloud that never answers delays a tick by less than 45 seconds, even if 100 users must be deleted', async () => {
  // Worker threads take real time, which the fake clock does not control.
  await using world = await openCloud({ kernel: { crypto: nobleCrypto({ accelerate: false }) } })
  const { kernel, cloud, clock, made, pass } = world
  await several(world, 100)
  const end = cloud.trouble({ manner: 'deaf', times: Number.POSITIVE_INFINITY })
  await kernel.leases.revokePrefix({ prefix: 'cloud', sync: false })
  const begun = clock.now()
  let over = false
  const tick = kernel.tick().finally(() => {
    over = true
  })
  while (!over) {
    await clock.advance(1000)
    for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
  await tick
  expect(clock.now() - begun).toBeLessThan(45_000)
  end()
  for (let minute = 0; minute < 10; minute++) await pass(MINUTE)
  expect([made().length, await irrevocable(world)]).toEqual([0, 0])
})
