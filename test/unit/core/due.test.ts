import { describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { fakeClock, faultyStorage } from '../../../src/testing/index.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 0, 1)

const latest = async (kernel: Awaited<ReturnType<typeof createDevKernel>>, name: string) =>
  (await kernel.transit.readKey({ name })).latest_version

describe('automatic rotation of a transit key', () => {
  it('happens at the first tick after the period', async () => {
    const clock = fakeClock(START)
    await using kernel = await createDevKernel({ clock })
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    expect(await kernel.tick()).toMatchObject({ done: 0, nextDueAt: START + HOUR })
    await clock.advance(HOUR - 1)
    expect((await kernel.tick()).done).toBe(0)
    await clock.advance(1)
    expect(await kernel.tick()).toMatchObject({ done: 1, failed: [], nextDueAt: START + 2 * HOUR })
    expect(await latest(kernel, 'k')).toBe(2)
  })

  it('happens only once if the clock jumps over many periods', async () => {
    const clock = fakeClock(START)
    await using kernel = await createDevKernel({ clock })
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    clock.set(START + 1000 * HOUR)
    await kernel.tick()
    await kernel.tick()
    expect(await latest(kernel, 'k')).toBe(2)
  })

  it('happens one period after the last manual rotation', async () => {
    const clock = fakeClock(START)
    await using kernel = await createDevKernel({ clock })
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '2h' })
    await clock.advance(HOUR)
    await kernel.transit.rotateKey({ name: 'k' })
    await clock.advance(HOUR)
    expect((await kernel.tick()).done).toBe(0)
    expect(await latest(kernel, 'k')).toBe(2)
  })

  it('stops when the period is set to 0 or the key is deleted', async () => {
    const clock = fakeClock(START)
    await using kernel = await createDevKernel({ clock })
    for (const name of ['stopped', 'deleted']) await kernel.transit.createKey({ name, auto_rotate_period: '1h' })
    await kernel.transit.configureKey({ name: 'stopped', auto_rotate_period: 0 })
    await kernel.transit.configureKey({ name: 'deleted', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'deleted' })
    await clock.advance(5 * HOUR)
    expect(await kernel.tick()).toEqual({ done: 0, failed: [], more: false, nextDueAt: undefined })
    expect(await latest(kernel, 'stopped')).toBe(1)
  })

  it('is left to the next tick for keys beyond the limit of a tick', async () => {
    const clock = fakeClock(START)
    await using kernel = await createDevKernel({ clock })
    for (let i = 0; i < 5; i++) await kernel.transit.createKey({ name: `k${i}`, auto_rotate_period: '1h' })
    await clock.advance(HOUR)
    expect(await kernel.tick({ limit: 2 })).toMatchObject({ done: 2, more: true })
    expect(await kernel.tick()).toMatchObject({ done: 3, more: false })
  })

  it('happens without explicit ticks from kernel.start() until the returned function is called', async () => {
    const clock = fakeClock(START)
    await using kernel = await createDevKernel({ clock })
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    const stop = kernel.start({ intervalMs: 60_000 })
    await clock.advance(HOUR + 60_000)
    expect(await latest(kernel, 'k')).toBe(2)
    stop()
    await clock.advance(5 * HOUR)
    expect(await latest(kernel, 'k')).toBe(2)
  })
})

describe('a tick with many due items', () => {
  const KEYS = 12
  async function withDue(storage: Storage = memoryStorage()) {
    const clock = fakeClock(START)
    const kernel = await createKernel({ storage, clock, seal: keySeal(new Uint8Array(32)), initialize: true })
    for (let i = 0; i < KEYS; i++) await kernel.transit.createKey({ name: `k${i}`, auto_rotate_period: '1h' })
    // Another lane has due items too.
    for (let i = 0; i < KEYS; i++) await kernel.mounts.createMount({ path: `m${i}`, type: 'kv' })
    for (let i = 0; i < KEYS; i++) await kernel.mounts.deleteMount({ path: `m${i}` })
    clock.set(START + HOUR)
    return kernel
  }
  const rotated = async (kernel: Kernel) => {
    let count = 0
    for (let i = 0; i < KEYS; i++) if ((await latest(kernel, `k${i}`)) === 2) count++
    return count
  }

  it('calls onProgress with rising counts of completed items', async () => {
    await using kernel = await withDue()
    const reported: number[] = []
    const { done } = await kernel.tick({ onProgress: (progress) => reported.push(progress.done) })
    expect(done).toBeGreaterThanOrEqual(2 * KEYS)
    expect(reported.at(-1)).toBe(done)
    expect(reported.length).toBeGreaterThan(KEYS / 2)
    expect(reported).toEqual(reported.toSorted((a, b) => a - b))
  })

  it('stops between two items when its signal is aborted, and the next tick completes the rest', async () => {
    const storage = faultyStorage(memoryStorage(), ({ method }) => (method === 'commit' ? 'late' : undefined))
    await using kernel = await withDue(storage)
    const stop = new AbortController()
    const reason = new Error('enough')
    const ticking = kernel.tick({ signal: stop.signal, onProgress: ({ done }) => done >= 3 && stop.abort(reason) })
    await expect(ticking).rejects.toBe(reason)
    const calls = storage.calls.length
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(storage.calls.length).toBe(calls)
    const before = await rotated(kernel)
    expect(before).toBeLessThan(KEYS)
    expect((await kernel.tick()).failed).toEqual([])
    expect(await rotated(kernel)).toBe(KEYS)
    await expect(kernel.tick({ signal: AbortSignal.abort(reason) })).resolves.toMatchObject({ done: 0 })
  })

  it('rejects if onProgress throws or the store fails, and the next tick completes the rest', async () => {
    let failing = false
    const storage = faultyStorage(memoryStorage(), ({ method }) => {
      if (method === 'commit') return 'late'
      return failing && method === 'list' ? 'error' : undefined
    })
    await using kernel = await withDue(storage)
    const failure = new Error('nobody listens')
    const onProgress = () => {
      throw failure
    }
    await expect(kernel.tick({ onProgress })).rejects.toBe(failure)
    failing = true
    await expect(kernel.tick()).rejects.toMatchObject({ status: 503 })
    failing = false
    expect((await kernel.tick()).failed).toEqual([])
    expect(await rotated(kernel)).toBe(KEYS)
  })
})

describe('claims on due work', () => {
  const pair = async () => {
    const clock = fakeClock(START)
    const storage = memoryStorage()
    const seal = keySeal(new Uint8Array(32).fill(7))
    const first = await createKernel({ storage, seal, clock, initialize: true })
    const second = await createKernel({ storage, seal, clock })
    return { clock, first, second }
  }

  it('let a second kernel take over the work only after the claim of the first has expired', async () => {
    const { clock, first, second } = await pair()
    await first.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    await clock.advance(HOUR)
    expect((await first.tick()).done).toBe(1)
    await clock.advance(HOUR)
    // The first kernel still holds its claim. The second may take over only after it has seen an unchanged claim for the claim's TTL.
    expect(await second.tick()).toMatchObject({ done: 0, more: true })
    await clock.advance(10_000)
    expect(await second.tick()).toMatchObject({ done: 0, more: true })
    await clock.advance(30_000)
    expect(await second.tick()).toMatchObject({ done: 1 })
    expect(await latest(second, 'k')).toBe(3)
    await first.close()
    await second.close()
  })

  it('are released at close, so that another kernel takes over at once', async () => {
    const { clock, first, second } = await pair()
    await first.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    await clock.advance(HOUR)
    await first.tick()
    await first.close()
    await clock.advance(HOUR)
    expect((await second.tick()).done).toBe(1)
    await second.close()
  })

  it('let two kernels that tick at the same moment rotate a key only once', async () => {
    const { clock, first, second } = await pair()
    await first.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    await clock.advance(HOUR)
    const [a, b] = await Promise.all([first.tick(), second.tick()])
    expect(a.done + b.done).toBe(1)
    expect(await latest(first, 'k')).toBe(2)
    await first.close()
    await second.close()
  })
})

describe('deleting a key with many versions', () => {
  it('makes the key unreadable at once, and later ticks delete all records of its versions', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    await using kernel = await createDevKernel({ storage })
    await kernel.transit.createKey({ name: 'k' })
    for (let i = 0; i < 99; i++) await kernel.transit.rotateKey({ name: 'k' })
    const records = async () => (await storage.scan('r/')).filter(({ key }) => key.includes('/material/')).length
    expect(await records()).toBe(100)
    await kernel.transit.configureKey({ name: 'k', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'k' })
    await expect(kernel.transit.readKey({ name: 'k' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    for (let tick = await kernel.tick(); tick.done > 0; tick = await kernel.tick()) expect(tick.failed).toEqual([])
    expect(await records()).toBe(0)
    expect(await storage.list('l/due/')).toEqual([])
  })
})
