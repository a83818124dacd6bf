import { describe, expect, it } from 'vitest'
import { createKernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { type FakeClock, type FakeCloudProvider, fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'
import { HOUR, ROOT } from './static-role-world.ts'

const SEAL = keySeal(new Uint8Array(32).fill(7))

interface Town {
  readonly storage: Storage
  readonly clock: FakeClock
  readonly cloud: FakeCloudProvider
  readonly open: () => ReturnType<typeof createKernel>
}

/** Creates the roles `r0`, `r1` and so on, all written in the same second. */
async function town(roles: number, storage: Storage = memoryStorage()): Promise<Town> {
  const clock = fakeClock()
  const users = Object.fromEntries(Array.from({ length: roles }, (_, at) => [`user${at}`, at % 3]))
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
  const cloud = fakeCloudProvider({ root: ROOT, now: clock.now, users, pause })
  const open = () => createKernel({ storage, seal: SEAL, clock, initialize: true, ports: { cloud } })
  const kernel = await open()
  await kernel.cloud.configureRoot(ROOT)
  for (let at = 0; at < roles; at++)
    await kernel.cloud.writeStaticRole({ name: `r${at}`, username: `user${at}`, rotation_period: 3600 })
  await kernel.close()
  return { storage, clock, cloud, open }
}

describe('40 static roles that are due in the same second', () => {
  it('are rotated exactly once each by two kernels that share the store', async () => {
    const { clock, cloud, open } = await town(40)
    const kernels = [await open(), await open()]
    const times = new Map<string, number>()
    for (const kernel of kernels)
      kernel.events.on('static_role.rotated', ({ name }) => void times.set(name, (times.get(name) ?? 0) + 1))
    await clock.advance(HOUR)
    const from = cloud.calls.length
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(kernels.map((kernel) => kernel.tick()))
      expect(results.flatMap(({ failed }) => failed)).toEqual([])
    }
    const made = cloud.calls.slice(from).filter(({ call }) => call === 'createAccessKey')
    expect(made.length).toBe(40)
    expect([times.size, new Set(times.values())]).toEqual([40, new Set([1])])
    for (let at = 0; at < 40; at++) {
      const { access_key, secret_key } = await (kernels[at % 2] as (typeof kernels)[number]).cloud.staticCreds({ name: `r${at}` })
      expect(cloud.works(access_key, secret_key)).toBe(true)
      expect(cloud.users.get(`user${at}`)?.keys.length).toBe(2)
    }
    for (const kernel of kernels) await kernel.close()
    expect(cloud.open).toBe(0)
  })
})

describe('a tick without due work', () => {
  /** The storage calls of one tick. */
  async function methodsCalledFor(roles: number): Promise<readonly string[]> {
    const methods: string[] = []
    const storage = interceptedStorage(memoryStorage(), {
      around: (method, work) => {
        methods.push(method)
        return work()
      },
      close: async () => {},
    })
    const { clock, cloud, open } = await town(roles, storage)
    const kernel = await open()
    await kernel.tick()
    const from = cloud.calls.length
    await clock.advance(HOUR / 2)
    methods.length = 0
    await kernel.tick()
    expect(cloud.calls.length).toBe(from)
    const during = [...methods]
    await kernel.close()
    return during
  }

  it('makes as many storage calls for 300 static roles as for one', async () => {
    expect(await methodsCalledFor(300)).toEqual(await methodsCalledFor(1))
  })
})
