import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'

const HOUR = 3_600_000
const ROOT = { username: 'root', password: 'root-password', connection_url: 'there' }

describe('1,000 static roles that are due in the same second', () => {
  const ROLES = 1000

  /** Counts the reads of keys that contain `part`. */
  function counting(inner: Storage, part: string): { readonly storage: Storage; readonly reads: () => number } {
    let reads = 0
    const note = (keys: readonly string[]) => {
      reads += keys.filter((key) => key.includes(part)).length
    }
    const storage: Storage = {
      ...inner,
      get: (key) => {
        note([key])
        return inner.get(key)
      },
      getMany: (keys) => {
        note(keys)
        return inner.getMany(keys)
      },
      async scan(prefix, page) {
        const found = await inner.scan(prefix, page)
        note(found.map(({ key }) => key))
        return found
      },
      ...(inner.getSync && {
        getSync: (key: string) => {
          note([key])
          return inner.getSync?.(key)
        },
      }),
    }
    return { storage, reads: () => reads }
  }

  it('are rotated exactly once each by two kernels, and at most 16 at a time', async () => {
    const clock = fakeClock()
    const { storage, reads } = counting(memoryStorage(), '/static-role/')
    const database = fakeDatabasePlugin()
    const times = new Map<string, number>()
    let [now, most] = [0, 0]
    const counted = {
      ...database,
      async connect(...args: Parameters<typeof database.connect>) {
        const connection = await database.connect(...args)
        const updateUser: typeof connection.updateUser = async (change, signal) => {
          most = Math.max(most, ++now)
          for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
          await connection.updateUser(change, signal)
          times.set(change.username, (times.get(change.username) ?? 0) + 1)
          now--
        }
        return { ...connection, updateUser }
      },
    }
    const seal = keySeal(new Uint8Array(32).fill(7))
    const open = () => createKernel({ storage, seal, clock, initialize: true, ports: { databases: { fake: counted } } })
    const first = await open()
    await first.database.writeConnection({ name: 'main', plugin_name: 'fake', allowed_roles: ['*'], ...ROOT })
    for (let role = 0; role < ROLES; role++) {
      database.addUser(`user${role}`, 'before')
      await first.database.writeStaticRole({ name: `r${role}`, db_name: 'main', username: `user${role}`, rotation_period: 3600 })
    }
    await first.close()
    times.clear()
    await clock.advance(HOUR)
    const before = reads()
    const kernels = [await open(), await open()]
    expect(reads()).toBe(before)

    most = 0
    const progress: number[] = []
    const options = { limit: 10_000, onProgress: ({ done }: { done: number }) => void progress.push(done) }
    const results = await Promise.all(kernels.map((kernel) => kernel.tick(options)))
    expect(results.flatMap(({ failed }) => failed)).toEqual([])
    expect(results.reduce((sum, { done }) => sum + done, 0)).toBe(ROLES)
    expect([times.size, new Set(times.values())]).toEqual([ROLES, new Set([1])])
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(16)
    expect(progress.length).toBeGreaterThanOrEqual(ROLES)
    for (const kernel of kernels) expect(await kernel.tick()).toMatchObject({ done: 0 })
    const { username, password } = await (kernels[1] as Kernel).database.staticCreds({ name: 'r500' })
    expect(database.login(username, password ?? '')).toBe(true)
    for (const kernel of kernels) await kernel.close()
    expect(database.open).toBe(0)
  })
})
