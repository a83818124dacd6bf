import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/core/storage/memory-storage.ts'
import type { Change } from '../../../src/core/storage/port.ts'
import { fakeStorage } from './page-of-code.ts'

const value = new Uint8Array([1])

describe('memoryStorage', () => {
  it('notifies watchers before commit returns its promise', async () => {
    const storage = memoryStorage()
    const received: Change[] = []
    await storage.watch('a', 0, (change) => received.push(change))
    const commit = storage.commit([{ op: 'put', key: 'a', value }], 'id')
    expect(received).toEqual([{ revision: 1, keys: ['a'] }])
    await commit
  })

  it('returns the first outcome for a repeated commit id, even thousands of commits later', async () => {
    const storage = memoryStorage()
    for (let i = 0; i < 9000; i++) await storage.commit([{ op: 'append', log: 'log', value }], `${i}`)
    const repeated = await storage.commit([{ op: 'append', log: 'log', value }], '5000')
    expect(repeated).toEqual({ ok: true, revision: 5001, appended: [5001] })
    const forgotten = await storage.commit([{ op: 'append', log: 'log', value }], '1')
    expect(forgotten).toEqual({ ok: true, revision: 9001, appended: [9001] })
  })

  it('has the capability shared, and the configured maxOps', async () => {
    const storage = memoryStorage()
    expect(storage.caps).toEqual({ durable: false, shared: true, maxOps: 10_000, maxValueBytes: 64 * 1024 * 1024 })
    expect(memoryStorage({ maxOps: 128 }).caps.maxOps).toBe(128)
  })
})

describe('completeStorage', () => {
  it('starts at the highest version of the existing records', async () => {
    const storage = fakeStorage(new Map([['a', { key: 'a', value, version: 41 }]]))
    expect(await storage.revision()).toBe(41)
    const received: Change[] = []
    await storage.watch('', 3, (change) => received.push(change))
    expect(received).toEqual([{ revision: 41, keys: null }])
  })

  it('has getSync only if the core has it', () => {
    expect(fakeStorage().getSync).toBeUndefined()
  })
})
