/** Static roles of the cloud engine whose time has come. */
import { describe, expect, it } from 'vitest'
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'
import { askedSince, goodKey, HOUR, keysOf, MINUTE, openHouse, pass, ROOT, type StaticHouse } from './static-house.ts'

const writing = (username: string, name = 'r') => ({ name, username, rotation_period: 3600 })

const rotated = ({ kernel }: Pick<StaticHouse, 'kernel'>): readonly string[] => {
  const names: string[] = []
  kernel.events.on('static_role.rotated', ({ name }) => void names.push(name))
  return names
}

describe('a static role', () => {
  it('is rotated once every period, and the key before is good for one more', async () => {
    const house = await openHouse()
    const { kernel } = house
    await kernel.cloud.writeStaticRole(writing('app-none'))
    const times = rotated(house)
    for (let period = 1; period <= 3; period++) {
      const before = await goodKey(house, 'r')
      await pass(house, HOUR)
      expect(times.length).toBe(period)
      expect(keysOf(house, 'app-none')).toEqual([before, await goodKey(house, 'r')])
    }
  })

  it('is rotated once where nobody ticked for long', async () => {
    const house = await openHouse()
    await house.kernel.cloud.writeStaticRole(writing('app-none'))
    const times = rotated(house)
    await house.clock.advance(100 * HOUR)
    for (let tick = 0; tick < 3; tick++) await house.kernel.tick()
    expect(times).toEqual(['r'])
  })

  it('is not rotated again for a clock that is set back, and goes on when it is due by that clock', async () => {
    const house = await openHouse()
    const { clock, kernel } = house
    await kernel.cloud.writeStaticRole(writing('app-none'))
    const times = rotated(house)
    await pass(house, HOUR)
    clock.set(clock.now() - HOUR)
    await pass(house, HOUR)
    expect(times.length).toBe(1)
    await pass(house, HOUR)
    expect(times.length).toBe(2)
    await goodKey(house, 'r')
  })

  it('goes on after a restart (hashicorp/vault#21935)', async () => {
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
    'hands out a good key while the cloud %s',
    async (manner) => {
      const house = await openHouse()
      const { kernel, cloud } = house
      await kernel.cloud.writeStaticRole(writing('app-one'))
      const key = await goodKey(house, 'r')
      const over = cloud.trouble({ manner, times: Number.POSITIVE_INFINITY })
      const from = cloud.calls.length
      await pass(house, 2 * HOUR)
      // With the time between two attempts doubled each time.
      expect(askedSince(house, from).length).toBeLessThan(20)
      expect(await goodKey(house, 'r')).toBe(key)
      over()
      await pass(house, 2 * HOUR)
      expect(await goodKey(house, 'r')).not.toBe(key)
      expect(keysOf(house, 'app-one').length).toBe(2)
    },
  )

  it('keeps the stored key where the reply about a new one was lost: that one goes', async () => {
    const house = await openHouse()
    const { kernel, cloud } = house
    await kernel.cloud.writeStaticRole(writing('app-none'))
    const key = await goodKey(house, 'r')
    cloud.trouble({ call: 'createAccessKey', manner: 'loses', times: 3 })
    cloud.trouble({ call: 'listAccessKeys', manner: 'unreachable', every: 2, times: 3 })
    for (let minute = 0; minute < 61; minute++) {
      await pass(house, MINUTE)
      const given = await goodKey(house, 'r')
      expect(keysOf(house, 'app-none').length).toBeLessThanOrEqual(2)
      expect(keysOf(house, 'app-none')).toContain(key)
      if (given !== key) break
    }
    await pass(house, 5 * MINUTE)
    const next = await goodKey(house, 'r')
    expect(next).not.toBe(key)
    expect(keysOf(house, 'app-none')).toEqual([key, next])
  })
})

describe('two static roles of one user', () => {
  const both = async () => {
    const house = await openHouse()
    await house.kernel.cloud.writeStaticRole(writing('app-one', 'a'))
    await house.kernel.cloud.writeStaticRole({ ...writing('app-one', 'b'), rotation_period: 5400 })
    return house
  }

  it('hold a key each; neither takes the other’s', async () => {
    const house = await both()
    expect(keysOf(house, 'app-one')).toEqual([await goodKey(house, 'a'), await goodKey(house, 'b')])
  })

  it('are both rotated, and hand out a good key at every moment', async () => {
    const house = await both()
    const times = rotated(house)
    for (let minute = 0; minute < 6 * 60; minute++) {
      await pass(house, MINUTE)
      await goodKey(house, 'a')
      await goodKey(house, 'b')
      expect(keysOf(house, 'app-one').length).toBe(2)
    }
    expect(times.filter((name) => name === 'a').length).toBeGreaterThanOrEqual(5)
    expect(times.filter((name) => name === 'b').length).toBeGreaterThanOrEqual(3)
  })

  it('are both good where the cloud refuses the key of the one that rotates', async () => {
    const house = await both()
    const { cloud } = house
    const keyOfB = await goodKey(house, 'b')
    cloud.trouble({ call: 'createAccessKey', manner: 'refuses' })
    await pass(house, HOUR)
    // It hands out the other's while it has none of its own.
    expect(await goodKey(house, 'a')).toBe(keyOfB)
    await pass(house, MINUTE)
    expect(await goodKey(house, 'a')).not.toBe(keyOfB)
    expect(await goodKey(house, 'b')).toBe(keyOfB)
  })

  it('are let go one by one: a key that the other hands out stays', async () => {
    const house = await both()
    const { kernel, cloud } = house
    cloud.trouble({ call: 'createAccessKey', manner: 'refuses', times: 1 })
    await pass(house, HOUR)
    expect(await goodKey(house, 'a')).toBe(await goodKey(house, 'b'))
    await kernel.cloud.deleteStaticRole({ name: 'a' })
    await goodKey(house, 'b')
    await kernel.cloud.deleteStaticRole({ name: 'b' })
    expect(keysOf(house, 'app-one')).toEqual([])
  })

  it('are all that a user has room for', async () => {
    const house = await both()
    const { kernel } = house
    const before = keysOf(house, 'app-one')
    await expect(kernel.cloud.writeStaticRole(writing('app-one', 'c'))).rejects.toMatchObject({ status: 400 })
    expect(keysOf(house, 'app-one')).toEqual(before)
    await kernel.cloud.deleteStaticRole({ name: 'a' })
    await kernel.cloud.writeStaticRole(writing('app-one', 'c'))
    expect(keysOf(house, 'app-one')).toEqual([await goodKey(house, 'b'), await goodKey(house, 'c')])
  })

  it('leave the key of the root configuration alone, whose user one of them has adopted', async () => {
    const house = await openHouse()
    const { kernel, cloud } = house
    await kernel.cloud.writeStaticRole(writing('engine-root'))
    const key = await goodKey(house, 'r')
    await pass(house, 5 * HOUR)
    expect(cloud.works(ROOT.access_key, ROOT.secret_key)).toBe(true)
    expect(await goodKey(house, 'r')).toBe(key)
  })
})

describe('at the same time', () => {
  it('writes, rotations and deletions of one user leave no key that nobody knows', async () => {
    const house = await openHouse()
    const { kernel, cloud, clock } = house
    const known = new Set([...cloud.users.values()].flatMap(({ keys }) => keys.map(({ accessKeyId }) => accessKeyId)))
    kernel.events.on('static_role.rotated', async ({ name }) => {
      const given = await kernel.cloud.staticCreds({ name }).catch(() => undefined)
      if (given) known.add(given.access_key)
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
        if ((await tried(() => kernel.cloud.readStaticRole({ name }))) === 'done') await goodKey(house, name)
    }
    expect([...statuses].filter((status) => status !== 'done' && status !== 400 && status !== 404 && status !== 503)).toEqual([])
    await pass(house, 5 * MINUTE)
    for (const name of ['a', 'b']) await tried(() => kernel.cloud.deleteStaticRole({ name }))
    await pass(house, 5 * MINUTE)
    const left = [...cloud.users.values()].flatMap(({ keys }) => keys.map(({ accessKeyId }) => accessKeyId))
    expect(left.filter((key) => !known.has(key))).toEqual([])
  })

  it('of two creations of one name for two users one is done, and the other leaves no key', async () => {
    const house = await openHouse()
    const { kernel } = house
    const answers = await Promise.allSettled(
      ['app-none', 'app-more'].map((username) => kernel.cloud.writeStaticRole(writing(username))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 400 } })
    const key = await goodKey(house, 'r')
    expect([...keysOf(house, 'app-none'), ...keysOf(house, 'app-more')]).toEqual([key])
  })
})
