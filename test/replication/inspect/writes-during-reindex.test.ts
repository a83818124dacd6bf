/** A reindex does not delay writes: it needs no lock, and reads few records before it yields. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage, systemClock } from '../../../src/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'

const ticking = new AsyncLocalStorage<true>()

/** The number of storage calls of a tick that wait for a write to complete. */
const MAX_WRITES = 200

interface Held {
  readonly kernel: Kernel
  /** Runs before each storage call of a tick. */
  beforeCall: () => Promise<unknown>
  /** The largest number of entries that a tick read between two pauses. */
  maxRead: number
}

/** A primary with this many secrets that reindexes at its next tick. */
async function reindexing(secrets: number): Promise<Held> {
  let read = 0
  const held = { beforeCall: async () => {}, maxRead: 0 } as Omit<Held, 'kernel'> & { kernel?: Kernel }
  const noted = <T>(answer: T): T => {
    if (Array.isArray(answer)) read += answer.length
    held.maxRead = Math.max(held.maxRead, read)
    return answer
  }
  const inner = memoryStorage({ maxOps: 128 })
  const storage: Storage = interceptedStorage(inner, {
    async around(_, work) {
      if (!ticking.getStore()) return work()
      await ticking.exit(() => held.beforeCall())
      return noted(await work())
    },
    aroundSync: (work) => work(),
    listener: (onChange) => (change) => ticking.exit(() => onChange(change)),
    close: () => inner.close(),
  })
  const clock = {
    ...systemClock,
    sleep(ms: number, signal?: AbortSignal) {
      if (ticking.getStore()) read = 0
      return systemClock.sleep(ms, signal)
    },
  }
  const kernel = await createKernel({ storage, clock, seal: keySeal(new Uint8Array(32).fill(3)), initialize: true })
  for (let n = 0; n < secrets; n++) await kernel.kv.writeSecret({ path: `h/${n}`, data: { n } })
  await kernel.replication.enablePrimary()
  await kernel.tick()
  await kernel.replication.reindex()
  return Object.assign(held, { kernel })
}

const tick = (kernel: Kernel) => ticking.run(true, () => kernel.tick())

it('writes complete while a reindex waits at any of its storage calls', async () => {
  const held = await reindexing(300)
  const { kernel } = held
  let writes = 0
  held.beforeCall = async () => {
    if (writes < MAX_WRITES) await kernel.kv.writeSecret({ path: `w/${writes++ % 20}`, data: { writes } })
  }
  for (let ticks = 0; ticks < 20 && (await kernel.replication.readStatus()).reindex; ticks++) await tick(kernel)
  expect(writes).toBe(MAX_WRITES)
  expect((await kernel.replication.readStatus()).reindex).toBeUndefined()
  expect((await kernel.replication.merkleCheck()).details).toEqual([])
  await kernel.close()
})

it.each([400, 2000])('a reindex of %i records reads at most 512 records before it lets the event loop run', async (secrets) => {
  const held = await reindexing(secrets)
  const { kernel } = held
  held.maxRead = 0
  for (let ticks = 0; ticks < 20 && (await kernel.replication.readStatus()).reindex; ticks++) await tick(kernel)
  expect((await kernel.replication.readStatus()).reindex).toBeUndefined()
  expect(held.maxRead).toBeGreaterThan(0)
  expect(held.maxRead).toBeLessThanOrEqual(512)
  await kernel.close()
})
