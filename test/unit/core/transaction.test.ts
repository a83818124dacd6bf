import { describe, expect, it } from 'vitest'
import { composeKernel } from '../../../src/compose-kernel.ts'
import { jsonRecord } from '../../../src/core/contract/record-kind.ts'
import type { Tx } from '../../../src/core/contract/tx.ts'
import type { Storage } from '../../../src/core/storage/port.ts'
import { Keyspace } from '../../../src/core/transaction/keyspace.ts'
import { type Access, transact } from '../../../src/core/transaction/transact.ts'
import { keySeal, memoryStorage } from '../../../src/index.ts'
import { ENGINES, SYSTEM } from '../../fixtures/all-engines.ts'

interface Counter {
  readonly n: number
}

const COUNTER = jsonRecord<Counter>({ folder: 'counter' })

const GUARDED = jsonRecord<Counter>({ folder: 'guarded', guarded: true })

const NO_RULES = { fences: () => [], revalidate: async () => {} }

async function world(storage: Storage = memoryStorage()) {
  const options = { storage, seal: keySeal(new Uint8Array(32)), initialize: true }
  const { internals } = await composeKernel(options, ENGINES, SYSTEM, [])
  const place = new Keyspace('test', internals.host, NO_RULES)
  const run = async <T>(access: Access, body: (tx: Tx) => T): Promise<T> => {
    const { value, tx } = await transact(internals.host, place, internals.call, access, body)
    tx.end()
    return value
  }
  return { internals, run }
}

describe('transactions', () => {
  it('lose no increment under 50 concurrent writers', async () => {
    const { run } = await world()
    const increment = () => run('write', (tx) => tx.put(COUNTER, 'a', { n: (tx.get(COUNTER, 'a')?.n ?? 0) + 1 }))
    await Promise.all(Array.from({ length: 50 }, increment))
    expect(await run('read', (tx) => tx.get(COUNTER, 'a'))).toEqual({ n: 50 })
  })

  it('keep a sum over two records above 0 although concurrent writers each lower one record (no write skew)', async () => {
    const { run } = await world()
    await run('write', (tx) => {
      for (const id of ['x', 'y']) tx.put(COUNTER, id, { n: 1 })
    })
    // Each writer may clear its record only while the sum is above 1. With last-write-wins both would clear theirs.
    const giveUp = (id: string) =>
      run('write', (tx) => {
        const sum = (tx.get(COUNTER, 'x')?.n ?? 0) + (tx.get(COUNTER, 'y')?.n ?? 0)
        if (sum > 1) tx.put(COUNTER, id, { n: 0 })
      })
    await Promise.all([giveUp('x'), giveUp('y')])
    const [x, y] = await run('read', (tx) => [tx.get(COUNTER, 'x')?.n, tx.get(COUNTER, 'y')?.n])
    expect((x ?? 0) + (y ?? 0)).toBe(1)
  })

  it('see their own writes and deletes in gets and lists', async () => {
    const { run } = await world()
    await run('write', (tx) => tx.put(GUARDED, 'old', { n: 1 }))
    const seen = await run('write', (tx) => {
      tx.put(GUARDED, 'new', { n: 2 })
      tx.delete(GUARDED, 'old')
      return { names: tx.list(GUARDED), old: tx.get(GUARDED, 'old'), fresh: tx.get(GUARDED, 'new') }
    })
    expect(seen).toEqual({ names: ['new'], old: undefined, fresh: { n: 2 } })
  })

  it('refuse to list an unguarded folder if they may write', async () => {
    const { run } = await world()
    await expect(run('write', (tx) => tx.list(COUNTER))).rejects.toThrow(/only record kinds with guarded: true/)
    expect(await run('read', (tx) => tx.list(COUNTER))).toEqual([])
  })

  it('let only one of two concurrent writers create the first record of a guarded folder', async () => {
    const { run } = await world()
    const createFirst = (id: string) =>
      run('write', (tx) => {
        if (tx.list(GUARDED).length === 0) tx.put(GUARDED, id, { n: 1 })
      })
    await Promise.all([createFirst('a'), createFirst('b')])
    expect(await run('read', (tx) => tx.list(GUARDED))).toHaveLength(1)
  })

  it('run a function that is passed to tx.once a single time, however often the body reruns', async () => {
    const { run } = await world()
    let made = 0
    const slow = () =>
      run('write', (tx) => {
        const value = tx.once('costly', async () => ++made)
        tx.put(COUNTER, 'shared', { n: (tx.get(COUNTER, 'shared')?.n ?? 0) + value - value + 1 })
      })
    await Promise.all([slow(), slow(), slow()])
    expect(made).toBe(3)
    expect(await run('read', (tx) => tx.get(COUNTER, 'shared'))).toEqual({ n: 3 })
  })

  it('refuse a record name that is too long with 400', async () => {
    const { run } = await world()
    await expect(run('write', (tx) => tx.put(COUNTER, 'x'.repeat(1900), { n: 1 }))).rejects.toMatchObject({ status: 400 })
  })

  it('refuse to read a record of a newer format', async () => {
    const storage = memoryStorage()
    const newer = jsonRecord<Counter>({ folder: 'counter', format: 2 })
    const { run } = await world(storage)
    await run('write', (tx) => tx.put(newer, 'a', { n: 1 }))
    const { run: older } = await world(storage)
    await expect(older('read', (tx) => tx.get(COUNTER, 'a'))).rejects.toThrow(/format 2/)
  })

  it('migrate a record of an older format when they read it', async () => {
    const { run, internals } = await world()
    await run('write', (tx) => tx.put(COUNTER, 'a', { n: 20 }))
    const today = jsonRecord<{ readonly count: number }>({
      folder: 'counter',
      format: 2,
      migrate: (old) => ({ count: (old as Counter).n }),
    })
    const other = await world(internals.host.store.storage)
    expect(await other.run('read', (tx) => tx.get(today, 'a'))).toEqual({ count: 20 })
  })

  it('return frozen records', async () => {
    const { run } = await world()
    await run('write', (tx) => tx.put(COUNTER, 'a', { n: 1 }))
    const value = await run('read', (tx) => tx.get(COUNTER, 'a'))
    expect(() => {
      ;(value as { n: number }).n = 2
    }).toThrow(TypeError)
  })
})
