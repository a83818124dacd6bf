import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/core/storage/memory-storage.ts'
import { type Op, OutcomeUnknown, type Storage } from '../../../src/core/storage/port.ts'
import { Crashed, chaoticStorage, crashingStorage, fakeClock, seededEntropy } from '../../../src/testing/index.ts'

const put = (key: string, text = key): Op => ({ op: 'put', key, value: new TextEncoder().encode(text) })

describe('crashingStorage', () => {
  const runThree = async (storage: Storage) => {
    for (const key of ['a', 'b', 'c']) await storage.commit([put(key)], key)
  }

  it('counts commits and does not crash by default', async () => {
    const storage = crashingStorage(memoryStorage())
    await runThree(storage)
    expect([storage.commits, storage.crashed]).toEqual([3, false])
  })

  it.each([
    ['before', ['a']],
    ['after', ['a', 'b']],
  ] as const)('crashes at a commit %s the commit takes effect, and fails every later call', async (when, left) => {
    const inner = memoryStorage()
    const storage = crashingStorage(inner, { crashAt: 2, when })
    const revisions: number[] = []
    await storage.watch('', 0, ({ revision }) => revisions.push(revision))
    const failure = await runThree(storage).catch((error) => error)
    expect(failure).toBeInstanceOf(Crashed)
    expect(failure).not.toBeInstanceOf(OutcomeUnknown)
    expect(await inner.list('')).toEqual(left)
    expect([storage.commits, storage.crashed]).toEqual([2, true])
    await expect(storage.get('a')).rejects.toThrow(Crashed)
    await expect(storage.commit([put('c')], 'c')).rejects.toThrow(Crashed)
    await expect(storage.watch('', 0, () => undefined)).rejects.toThrow(Crashed)
    expect(() => storage.getSync?.('a')).toThrow(Crashed)
    const count = revisions.length
    await inner.commit([put('later')], 'later')
    expect(revisions).toHaveLength(count)
    await storage.close()
    expect(await inner.get('later')).toBeDefined()
  })

  it('rejects a call that was in flight at the crash', async () => {
    const slow = chaoticStorage(memoryStorage(), { entropy: seededEntropy(1) })
    const storage = crashingStorage(slow, { crashAt: 1 })
    const reading = storage.list('').catch((error) => error)
    await expect(storage.commit([put('a')], 'a')).rejects.toThrow(Crashed)
    expect(await reading).toBeInstanceOf(Crashed)
  })
})

describe('chaoticStorage', () => {
  const countingMemory = () => {
    const inner = memoryStorage()
    const deliveries: string[] = []
    const counted: Storage = {
      ...inner,
      commit(ops, id) {
        deliveries.push(id)
        return inner.commit(ops, id)
      },
    }
    return { inner, counted, deliveries }
  }

  it('loses the replies of some commits that took effect and of some that did not', async () => {
    const { inner, counted } = countingMemory()
    const storage = chaoticStorage(counted, { entropy: seededEntropy(1), unknown: 1 })
    const effects: boolean[] = []
    for (let i = 0; i < 40; i++) {
      await expect(storage.commit([put(`${i}`)], `${i}`)).rejects.toThrow(OutcomeUnknown)
      effects.push((await inner.get(`${i}`)) !== undefined)
    }
    expect(new Set(effects)).toEqual(new Set([true, false]))
  })

  it('with twice: 1 delivers each commit twice with the same id', async () => {
    const { counted, deliveries } = countingMemory()
    const storage = chaoticStorage(counted, { entropy: seededEntropy(1), unknown: 0, twice: 1 })
    await Promise.all(
      Array.from({ length: 10 }, (_, i) => storage.commit([{ op: 'append', log: 'log', value: new Uint8Array(1) }], `${i}`)),
    )
    await storage.close()
    expect(deliveries).toHaveLength(20)
    expect(new Set(deliveries).size).toBe(10)
  })

  it('reorders concurrent calls, in the same way for the same seed', async () => {
    const order = async (seed: number) => {
      const { counted, deliveries } = countingMemory()
      const storage = chaoticStorage(counted, { entropy: seededEntropy(seed), unknown: 0, twice: 0 })
      const replies: string[] = []
      const ids = Array.from({ length: 12 }, (_, i) => `${i}`)
      await Promise.all(ids.map((id) => storage.commit([put(id)], id).then(() => replies.push(id))))
      return { ids, deliveries, replies }
    }
    const first = await order(1)
    expect(first.deliveries).not.toEqual(first.ids)
    expect(first.replies).not.toEqual(first.deliveries)
    expect(await order(1)).toEqual(first)
    expect(await order(2)).not.toEqual(first)
  })

  it('has no getSync, and completes commits while a fake clock is advanced', async () => {
    const clock = fakeClock()
    const storage = chaoticStorage(memoryStorage(), { entropy: seededEntropy(3), clock, unknown: 0 })
    expect(storage.getSync).toBeUndefined()
    let done = false
    const work = (async () => {
      for (let i = 0; i < 20; i++) await storage.commit([put('a')], `${i}`)
      await clock.sleep(5)
      done = true
    })()
    await clock.advance(5)
    expect(done).toBe(true)
    await work
  })
})
