import { describe, expect, it } from 'vitest'
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'
import {
  callsSince,
  goodKey,
  HOUR,
  keysOf,
  MINUTE,
  openStaticRoleWorld,
  pass,
  ROOT,
  type StaticRoleWorld,
} from './static-role-world.ts'

const writing = (username: string, name = 'r') => ({ name, username, rotation_period: 3600 })

const rotated = ({ kernel }: Pick<StaticRoleWorld, 'kernel'>): readonly string[] => {
  const names: string[] = []
  kernel.events.on('static_role.rotated', ({ name }) => void names.push(name))
  return names
}

describe('a static role', () => {
  it('is rotated once per period, and its previous key remains valid for one more period', async () => {
    const world = await openStaticRoleWorld()
    const { kernel } = world
    await kernel.cloud.writeStaticRole(writing('app-none'))
    const times = rotated(world)
    for (let period = 1; period <= 3; period++) {
      const before = await goodKey(world, 'r')
      await pass(world, HOUR)
      expect(times.length).toBe(period)
      expect(keysOf(world, 'app-none')).toEqual([before, await goodKey(world, 'r')])
    }
  })

  it('is rotated only once after a long time without ticks', async () => {
    const world = await openStaticRoleWorld()
    await world.kernel.cloud.writeStaticRole(writing('app-none'))
    const times = rotated(world)
    await world.clock.advance(100 * HOUR)
    for (let tick = 0; tick < 3; tick++) await world.kernel.tick()
    expect(times).toEqual(['r'])
  })

  it('is not rotated again after the clock is set back until it is due by the new time', async () => {
    const world = await openStaticRoleWorld()
    const { clock, kernel } = world
    await kernel.cloud.writeStaticRole(writing('app-none'))
    const times = rotated(world)
    await pass(world, HOUR)
    clock.set(clock.now() - HOUR)
    await pass(world, HOUR)
    expect(times.length).toBe(1)
    await pass(world, HOUR)
    expect(times.length).toBe(2)
    await goodKey(world, 'r')
  })

  it('is rotated after a restart (hashicorp/vault#21935)', async () => {
    const clock = fakeClock()
    const cloud = fakeCloudProvider({ root: ROOT, now: clock.now })
    const storage = memoryStorage()
    const open = () =>
      createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(3)), clock, initialize: true, ports: { cloud } })
    const first = await open()
    await first.cloud.configureRoot(ROOT)
    await first.cloud.writeStaticRole(writing('app-none'))
    const key = await goodKey({ kernel: first, cloud }, 'r')
    await first.close()
    await clock.advance(HOUR)
    const second = await open()
    await second.tick()
    expect(await goodKey({ kernel: second, cloud }, 'r')).not.toBe(key)
    await second.close()
    expect(cloud.open).toBe(0)
  })

  it.each(['refuses', 'throttled', 'fails', 'unreachable'] as const)(
    'returns a working key while the cloud %s',
    async (manner) => {
      const world = await openStaticRoleWorld()
      const { kernel, cloud } = world
      await kernel.cloud.writeStaticRole(writing('app-one'))
      const key = await goodKey(world, 'r')
      const over = cloud.trouble({ manner, times: Number.POSITIVE_INFINITY })
      const from = cloud.calls.length
      await pass(world, 2 * HOUR)
      // The time between attempts doubles each time.
      expect(callsSince(world, from).length).toBeLessThan(20)
      expect(await goodKey(world, 'r')).toBe(key)
      over()
      await pass(world, 2 * HOUR)
      expect(await goodKey(world, 'r')).not.toBe(key)
      expect(keysOf(world, 'app-one').length).toBe(2)
    },
  )

  it('keeps the stored key if the answer with a new key is lost, and the lost key is deleted', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    await kernel.cloud.writeStaticRole(writing('app-none'))
    const key = await goodKey(world, 'r')
    cloud.trouble({ call: 'createAccessKey', manner: 'loses', times: 3 })
    cloud.trouble({ call: 'listAccessKeys', manner: 'unreachable', every: 2, times: 3 })
    for (let minute = 0; minute < 61; minute++) {
      await pass(world, MINUTE)
      const current = await goodKey(world, 'r')
      expect(keysOf(world, 'app-none').length).toBeLessThanOrEqual(2)
      expect(keysOf(world, 'app-none')).toContain(key)
      if (current !== key) break
    }
    await pass(world, 5 * MINUTE)
    const next = await goodKey(world, 'r')
    expect(next).not.toBe(key)
    expect(keysOf(world, 'app-none')).toEqual([key, next])
  })
})

describe('two static roles of one user', () => {
  const both = async () => {
    const world = await openStaticRoleWorld()
    await world.kernel.cloud.writeStaticRole(writing('app-one', 'a'))
    await world.kernel.cloud.writeStaticRole({ ...writing('app-one', 'b'), rotation_period: 5400 })
    return world
  }

  it('have separate keys', async () => {
    const world = await both()
    expect(keysOf(world, 'app-one')).toEqual([await goodKey(world, 'a'), await goodKey(world, 'b')])
  })

  it('are both rotated, and return a working key at every moment', async () => {
    const world = await both()
    const times = rotated(world)
    for (let minute = 0; minute < 6 * 60; minute++) {
      await pass(world, MINUTE)
      await goodKey(world, 'a')
      await goodKey(world, 'b')
      expect(keysOf(world, 'app-one').length).toBe(2)
    }
    expect(times.filter((name) => name === 'a').length).toBeGreaterThanOrEqual(5)
    expect(times.filter((name) => name === 'b').length).toBeGreaterThanOrEqual(3)
  })

  it('both return a working key if the cloud refuses to create a new key for one of them', async () => {
    const world = await both()
    const { cloud } = world
    const keyOfB = await goodKey(world, 'b')
    cloud.trouble({ call: 'createAccessKey', manner: 'refuses' })
    await pass(world, HOUR)
    // The role returns the other role's key while it has no key of its own.
    expect(await goodKey(world, 'a')).toBe(keyOfB)
    await pass(world, MINUTE)
    expect(await goodKey(world, 'a')).not.toBe(keyOfB)
    expect(await goodKey(world, 'b')).toBe(keyOfB)
  })

  it('can be deleted one after the other, and a shared key is kept until the last deletion', async () => {
    const world = await both()
    const { kernel, cloud } = world
    cloud.trouble({ call: 'createAccessKey', manner: 'refuses', times: 1 })
    await pass(world, HOUR)
    expect(await goodKey(world, 'a')).toBe(await goodKey(world, 'b'))
    await kernel.cloud.deleteStaticRole({ name: 'a' })
    await goodKey(world, 'b')
    await kernel.cloud.deleteStaticRole({ name: 'b' })
    expect(keysOf(world, 'app-one')).toEqual([])
  })

  it('do not allow a third role for the user', async () => {
    const world = await both()
    const { kernel } = world
    const before = keysOf(world, 'app-one')
    await expect(kernel.cloud.writeStaticRole(writing('app-one', 'c'))).rejects.toMatchObject({ status: 400 })
    expect(keysOf(world, 'app-one')).toEqual(before)
    await kernel.cloud.deleteStaticRole({ name: 'a' })
    await kernel.cloud.writeStaticRole(writing('app-one', 'c'))
    expect(keysOf(world, 'app-one')).toEqual([await goodKey(world, 'b'), await goodKey(world, 'c')])
  })

  it('do not delete the root configuration’s key of the same user', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud } = world
    await kernel.cloud.writeStaticRole(writing('engine-root'))
    const key = await goodKey(world, 'r')
    await pass(world, 5 * HOUR)
    expect(cloud.works(ROOT.access_key, ROOT.secret_key)).toBe(true)
    expect(await goodKey(world, 'r')).toBe(key)
  })
})

describe('concurrent changes of static roles', () => {
  it('leave no key in the cloud that was never returned', async () => {
    const world = await openStaticRoleWorld()
    const { kernel, cloud, clock } = world
    const known = new Set([...cloud.users.values()].flatMap(({ keys }) => keys.map(({ accessKeyId }) => accessKeyId)))
    kernel.events.on('static_role.rotated', async ({ name }) => {
      const credentials = await kernel.cloud.staticCreds({ name }).catch(() => undefined)
      if (credentials) known.add(credentials.access_key)
    })
    let turn = 0
    const tried = async (work: () => Promise<unknown>) => {
      try {
        await work()
        return 'done'
      } catch (error) {
        return (error as { status?: number }).status
      }
    }
    const statuses = new Set<unknown>()
    for (let round = 0; round < 25; round++) {
      const works = ['a', 'b'].flatMap((name) => [
        () => kernel.cloud.writeStaticRole({ name, username: 'app-one', rotation_period: 60 + turn++ }),
        () => kernel.cloud.writeStaticRole({ name, username: turn++ % 2 ? 'app-one' : 'app-none', rotation_period: 60 }),
        () => kernel.tick(),
        () => (turn++ % 3 ? kernel.cloud.staticCreds({ name }) : kernel.cloud.deleteStaticRole({ name })),
      ])
      await clock.advance(MINUTE)
      for (const status of await Promise.all(works.map(tried))) statuses.add(status)
      for (const name of ['a', 'b'])
        if ((await tried(() => kernel.cloud.readStaticRole({ name }))) === 'done') await goodKey(world, name)
    }
    expect([...statuses].filter((status) => status !== 'done' && status !== 400 && status !== 404 && status !== 503)).toEqual([])
    await pass(world, 5 * MINUTE)
    for (const name of ['a', 'b']) await tried(() => kernel.cloud.deleteStaticRole({ name }))
    await pass(world, 5 * MINUTE)
    const left = [...cloud.users.values()].flatMap(({ keys }) => keys.map(({ accessKeyId }) => accessKeyId))
    expect(left.filter((key) => !known.has(key))).toEqual([])
  })

  it('with the same role name succeed once, and the refused one leaves no key', async () => {
    const world = await openStaticRoleWorld()
    const { kernel } = world
    const answers = await Promise.allSettled(
      ['app-none', 'app-more'].map((username) => kernel.cloud.writeStaticRole(writing(username))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 400 } })
    const key = await goodKey(world, 'r')
    expect([...keysOf(world, 'app-none'), ...keysOf(world, 'app-more')]).toEqual([key])
  })
})
