import { describe, expect, it } from 'vitest'
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'
import { callsSince, goodKey, HOUR, keysOf, MINUTE, openHouse, pass, ROOT, type StaticHouse } from './static-house.ts'

const writing = (username: string, name = 'r') => ({ name, username, rotation_period: 3600 })

const rotated = ({ kernel }: Pick<StaticHouse, 'kernel'>): readonly string[] => {
  const names: string[] = []
  kernel.events.on('static_role.rotated', ({ name }) => void names.push(name))
  return names
}

describe('a static role', () => {
  it('is rotated once per period, and its previous key remains valid for one more period', async () => {
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

  it('is rotated only once after a long time without ticks', async () => {
    const house = await openHouse()
    await house.kernel.cloud.writeStaticRole(writing('app-none'))
    const times = rotated(house)
    await house.clock.advance(100 * HOUR)
    for (let tick = 0; tick < 3; tick++) await house.kernel.tick()
    expect(times).toEqual(['r'])
  })

  it('is not rotated again after the clock is set back until it is due by the new time', async () => {
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
      const house = await openHouse()
      const { kernel, cloud } = house
      await kernel.cloud.writeStaticRole(writing('app-one'))
      const key = await goodKey(house, 'r')
      const over = cloud.trouble({ manner, times: Number.POSITIVE_INFINITY })
      const from = cloud.calls.length
      await pass(house, 2 * HOUR)
      // The time between attempts doubles each time.
      expect(callsSince(house, from).length).toBeLessThan(20)
      expect(await goodKey(house, 'r')).toBe(key)
      over()
      await pass(house, 2 * HOUR)
      expect(await goodKey(house, 'r')).not.toBe(key)
      expect(keysOf(house, 'app-one').length).toBe(2)
    },
  )

  it('keeps the stored key if the answer with a new key is lost, and the lost key is deleted', async () => {
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

  it('have separate keys', async () => {
    const house = await both()
    expect(keysOf(house, 'app-one')).toEqual([await goodKey(house, 'a'), await goodKey(house, 'b')])
  })

  it('are both rotated, and return a working key at every moment', async () => {
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

  it('both return a working key if the cloud refuses to create a new key for one of them', async () => {
    const house = await both()
    const { cloud } = house
    const keyOfB = await goodKey(house, 'b')
    cloud.trouble({ call: 'createAccessKey', manner: 'refuses' })
    await pass(house, HOUR)
    // The role returns the other role's key while it has no key of its own.
    expect(await goodKey(house, 'a')).toBe(keyOfB)
    await pass(house, MINUTE)
    expect(await goodKey(house, 'a')).not.toBe(keyOfB)
    expect(await goodKey(house, 'b')).toBe(keyOfB)
  })

  it('can be deleted one after the other, and a shared key is kept until the last deletion', async () => {
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

  it('do not allow a third role for the user', async () => {
    const house = await both()
    const { kernel } = house
    const before = keysOf(house, 'app-one')
    await expect(kernel.cloud.writeStaticRole(writing('app-one', 'c'))).rejects.toMatchObject({ status: 400 })
    expect(keysOf(house, 'app-one')).toEqual(before)
    await kernel.cloud.deleteStaticRole({ name: 'a' })
    await kernel.cloud.writeStaticRole(writing('app-one', 'c'))
    expect(keysOf(house, 'app-one')).toEqual([await goodKey(house, 'b'), await goodKey(house, 'c')])
  })

  it('do not delete the root configuration’s key of the same user', async () => {
    const house = await openHouse()
    const { kernel, cloud } = house
    await kernel.cloud.writeStaticRole(writing('engine-root'))
    const key = await goodKey(house, 'r')
    await pass(house, 5 * HOUR)
    expect(cloud.works(ROOT.access_key, ROOT.secret_key)).toBe(true)
    expect(await goodKey(house, 'r')).toBe(key)
  })
})

describe('concurrent changes of static roles', () => {
  it('leave no key in the cloud that was never returned', async () => {
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

  it('with the same role name succeed once, and the refused one leaves no key', async () => {
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
