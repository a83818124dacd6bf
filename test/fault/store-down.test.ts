/** A store that does not answer: requests fail at once instead of waiting, the state is shown, and everything goes on when it is back. */
import { afterEach, describe, expect, it } from 'vitest'
import {
  createKernel,
  type Kernel,
  type KernelError,
  keySeal,
  memoryStorage,
  OutcomeUnknown,
  type Storage,
} from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'

type Manner = 'answers' | 'refuses' | 'hangs'

const METHODS = ['get', 'getMany', 'scan', 'list', 'commit', 'revision'] as const

/** A store that other processes write to as well, and whose server can be taken away. */
function serverStorage(clock: Pick<ReturnType<typeof fakeClock>, 'sleep'>, timeoutMs = 5000) {
  const inner = memoryStorage()
  const state = { manner: 'answers' as Manner, calls: 0, unknown: false, refusesCommits: false }
  const methods = METHODS.map((name) => [
    name,
    async (...args: never[]): Promise<unknown> => {
      state.calls++
      if (state.refusesCommits && name === 'commit') throw new Error('the value is too long')
      if (state.manner === 'hangs') {
        // As storages do: they end a call that is not answered in their own time.
        await clock.sleep(timeoutMs)
        throw new Error('no answer in time')
      }
      if (state.manner === 'refuses') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      const answer = await (inner[name] as (...all: never[]) => Promise<unknown>)(...args)
      if (name === 'commit' && state.unknown) {
        state.manner = 'refuses'
        throw new OutcomeUnknown('the connection was lost')
      }
      return answer
    },
  ])
  const { getSync: _, ...rest } = inner
  return { state, storage: { ...rest, caps: { ...inner.caps, shared: true }, ...Object.fromEntries(methods) } as Storage }
}

let kernel: Kernel
afterEach(() => kernel.close())

async function open(options: object = {}, timeoutMs = 5000) {
  const clock = fakeClock()
  const { state, storage } = serverStorage(clock, timeoutMs)
  kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true, clock, ...options })
  await kernel.kv.writeSecret({ path: 'a', data: { n: 1 } })
  return { clock, state }
}

const health = async () => {
  const { status, body } = await kernel.handle({ method: 'GET', path: '/v1/sys/health' })
  return { status, storage: (body as { storage?: string }).storage }
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: KernelError) => error.code,
  )

/** Advances the clock until the work is settled, and says how many milliseconds that took. */
async function timed(clock: ReturnType<typeof fakeClock>, work: () => Promise<unknown>, stepMs = 50, most = 20_000) {
  let settled: unknown
  const running = outcome(work()).then((value) => {
    settled = value
  })
  let took = 0
  for (; settled === undefined && took < most; took += stepMs) {
    await clock.advance(0)
    if (settled === undefined) await clock.advance(stepMs)
  }
  await running
  return { result: settled, took }
}

const READ = () => kernel.kv.readSecret({ path: 'b' })
const WRITE = () => kernel.kv.writeSecret({ path: 'b', data: { n: 2 } })

describe('a store that is down', () => {
  it('refuses requests at once when it refuses connections, and goes on with the first one after it is back', async () => {
    const { state } = await open()
    expect(await health()).toEqual({ status: 200, storage: 'available' })
    state.manner = 'refuses'
    // No clock is advanced here: nothing waits.
    for (let request = 0; request < 5; request++) {
      expect(await outcome(READ())).toBe('ERR_UNAVAILABLE')
      expect(await outcome(WRITE())).toBe('ERR_UNAVAILABLE')
    }
    expect(await health()).toEqual({ status: 503, storage: 'unavailable' })
    const { storage, state: kernelState, claims, due } = await kernel.status()
    expect(storage).toMatchObject({ available: false, unavailable_since: expect.any(String) })
    expect([kernelState, claims, due]).toEqual(['open', [], []])
    state.manner = 'answers'
    expect(await outcome(WRITE())).toBe('done')
    expect(await kernel.kv.readSecret({ path: 'b' })).toMatchObject({ data: { n: 2 } })
    expect(await health()).toEqual({ status: 200, storage: 'available' })
    expect((await kernel.status()).storage).toEqual({ durable: false, available: true })
  })

  it.each([
    ['5 seconds by default', {}, 5000],
    ['storageTimeoutMs', { storageTimeoutMs: 800 }, 800],
    ['storage_timeout_ms', { storage_timeout_ms: 800 }, 800],
  ])('gives the first request that hangs %s, and fails the next ones within a moment', async (_, options, ms) => {
    const { clock, state } = await open(options, ms)
    state.manner = 'hangs'
    const first = await timed(clock, WRITE)
    expect(first.result).toBe('ERR_UNAVAILABLE')
    expect(first.took).toBeGreaterThanOrEqual(ms)
    expect(first.took).toBeLessThanOrEqual(ms + 150)
    for (const work of [READ, WRITE, WRITE]) {
      const next = await timed(clock, work)
      expect(next.result).toBe('ERR_UNAVAILABLE')
      expect(next.took).toBeLessThanOrEqual(200)
    }
    const before = state.calls
    await Promise.all(Array.from({ length: 50 }, () => timed(clock, WRITE)))
    // Only the probe asks the store.
    expect(state.calls - before).toBeLessThanOrEqual(2)
    const shown = await timed(clock, async () => {
      expect(await health()).toEqual({ status: 503, storage: 'unavailable' })
    })
    expect(shown).toMatchObject({ result: 'done' })
    expect(shown.took).toBeLessThanOrEqual(1100)
    state.manner = 'answers'
    // A probe that was under way ends with its time limit.
    await clock.advance(ms)
    expect((await timed(clock, WRITE)).result).toBe('done')
  })

  it('does not report a commit of unknown outcome as done, and shows it after the store is back', async () => {
    const { clock, state } = await open()
    state.unknown = true
    const written = await timed(clock, () => kernel.kv.writeSecret({ path: 'c', data: { n: 3 } }), 1)
    expect(written.result).toBe('ERR_UNAVAILABLE')
    state.unknown = false
    state.manner = 'answers'
    // It took effect, and the caches know it.
    expect(await kernel.kv.readSecret({ path: 'c' })).toMatchObject({ data: { n: 3 } })
  })

  it('stays available when it refuses a single commit', async () => {
    const { state } = await open()
    state.refusesCommits = true
    expect(await outcome(WRITE())).toBe('ERR_UNAVAILABLE')
    expect(await health()).toEqual({ status: 200, storage: 'available' })
    expect(await outcome(kernel.kv.readSecret({ path: 'a' }))).toBe('done')
    state.refusesCommits = false
    expect(await outcome(WRITE())).toBe('done')
  })

  it.each([
    { storageTimeoutMs: 0 },
    { storageTimeoutMs: 'soon' },
    { storage_timeout_ms: -1 },
    { storageTimeoutMs: 5, storage_timeout_ms: 5 },
  ])('refuses the option %o', async (options) => {
    await open()
    const { storage } = serverStorage(fakeClock())
    await expect(createKernel({ storage, seal: keySeal(new Uint8Array(32)), ...(options as object) })).rejects.toThrow(TypeError)
  })
})
