import { expect, it } from 'vitest'
import { Barrier } from '../../../../src/core/barrier/barrier.ts'
import { Deadline } from '../../../../src/core/base/deadline.ts'
import { KeyCache } from '../../../../src/core/crypto/key-cache.ts'
import type { Storage } from '../../../../src/core/storage/port.ts'
import { RecordCache } from '../../../../src/core/transaction/cache.ts'
import { Freshness } from '../../../../src/core/transaction/freshness/freshness.ts'
import { Store } from '../../../../src/core/transaction/store.ts'
import { memoryStorage } from '../../../../src/index.ts'
import { fakeClock, seededEntropy } from '../../../../src/testing/index.ts'

const KEY = 'i/core/epoch'
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function followed({ watching = true } = {}) {
  const clock = fakeClock()
  const storage: Storage = memoryStorage()
  const entropy = seededEntropy('reactions')
  const store = new Store({
    storage,
    barrier: new Barrier(entropy),
    clock,
    entropy,
    deadline: new Deadline(clock, 1000, new AbortController().signal),
  })
  const freshness = new Freshness({
    store,
    clock,
    cache: new RecordCache(10),
    keys: new KeyCache({ keys: 10, bytes: 100_000 }),
    stalenessMs: 2000,
  })
  const follow = (from: number) => storage.watch('', from, (change) => freshness.onReported(change))
  const stop = await follow(0)
  freshness.begin(0, clock.now())
  if (!watching) await stop()
  let id = 0
  const write = (key: string) => storage.commit([{ op: 'put', key, value: new Uint8Array(1) }], `${id++}`)
  return { clock, freshness, write }
}

it('a reaction runs only for changes of its record, and the caches count as stale until the reaction ends', async () => {
  const { freshness, write } = await followed()
  let finish: () => void = () => {}
  let began = 0
  freshness.reactions.onKey(KEY, () => {
    began++
    return new Promise((resolve) => {
      finish = resolve
    })
  })
  await write('i/core/other')
  expect(freshness.isFresh()).toBe(true)
  await write(KEY)
  expect(freshness.isFresh()).toBe(false)
  let renewed = false
  const request = freshness.renew().then(() => {
    renewed = true
  })
  await turn()
  expect([began, renewed]).toEqual([1, false])
  finish()
  await request
  expect(freshness.isFresh()).toBe(true)
})

it('a failed reaction runs again for each request, and the caches count as stale until it succeeds', async () => {
  const { freshness, write } = await followed()
  let failures = 2
  let done = 0
  freshness.reactions.onKey(KEY, async () => {
    if (failures-- > 0) throw new Error('not now')
    done++
  })
  await write(KEY)
  await turn()
  expect(freshness.isFresh()).toBe(false)
  await expect(freshness.renew()).rejects.toThrow('not now')
  expect(freshness.isFresh()).toBe(false)
  await freshness.renew()
  expect([freshness.isFresh(), done]).toEqual([true, 1])
})

it('a reaction runs again if its record changed while it ran', async () => {
  const { freshness, write } = await followed()
  let runs = 0
  freshness.reactions.onKey(KEY, async () => {
    if (++runs === 1) await write(KEY)
  })
  await write(KEY)
  await freshness.renew()
  expect(runs).toBe(2)
  await freshness.renew()
  expect(freshness.isFresh()).toBe(true)
})

it('reactions run at the next check of the store if the watch reported no change', async () => {
  const { clock, freshness, write } = await followed({ watching: false })
  let runs = 0
  freshness.reactions.onKey(KEY, () => {
    runs++
  })
  await write('i/core/other')
  expect(freshness.isFresh()).toBe(true)
  await clock.advance(2000)
  expect(freshness.isFresh()).toBe(false)
  await freshness.renew()
  expect([runs, freshness.isFresh()]).toEqual([1, true])
})
