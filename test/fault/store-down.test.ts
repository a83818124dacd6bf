/**
 * A store that does not answer: requests fail immediately instead of waiting, the status reports it, and requests succeed again after the
 * store recovers.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/base/clock.ts'
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

/** A store that other processes write to, and whose server can fail. */
function serverStorage(timeoutMs = 5000) {
  const inner = memoryStorage()
  const state = { manner: 'answers' as Manner, calls: 0, unknown: false, refusesCommits: false, gate: Promise.resolve() }
  const methods = METHODS.map((name) => [
    name,
    async (...args: never[]): Promise<unknown> => {
      state.calls++
      if (state.refusesCommits && name === 'commit') throw new Error('the value is too long')
      if (state.manner === 'hangs') {
        // Storages end calls without an answer by their own time limit.
        await systemClock.sleep(timeoutMs)
        throw new Error('no answer in time')
      }
      if (state.manner === 'refuses') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      await state.gate
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
  const { state, storage } = serverStorage(timeoutMs)
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

const READ = () => kernel.kv.readSecret({ path: 'b' })
const WRITE = () => kernel.kv.writeSecret({ path: 'b', data: { n: 2 } })

describe('a kernel whose store is down', () => {
  it('fails requests immediately while the store refuses connections, and serves the first request after it recovers', async () => {
    const { state } = await open()
    expect(await health()).toEqual({ status: 200, storage: 'available' })
    state.manner = 'refuses'
    // The clock is not advanced here, so the requests do not wait.
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
    ['storageTimeoutMs', { storageTimeoutMs: 60 }],
    ['storage_timeout_ms', { storage_timeout_ms: 60 }],
  ])(
    'stops calling a store that hangs after the timeout %s, except by single probes, until a probe is answered',
    async (_, options) => {
      const { state } = await open(options, 60)
      state.manner = 'hangs'
      expect(await outcome(WRITE())).toBe('ERR_UNAVAILABLE')
      const before = state.calls
      expect(await Promise.all(Array.from({ length: 50 }, () => outcome(WRITE())))).toEqual(Array(50).fill('ERR_UNAVAILABLE'))
      // There is one probe at a time, and no request waits for it longer than the probe takes.
      expect(state.calls - before).toBeLessThan(50)
      expect(await health()).toEqual({ status: 503, storage: 'unavailable' })
      state.manner = 'answers'
      await expect.poll(() => outcome(WRITE()), { timeout: 60_000 }).toBe('done')
    },
  )

  it('does not regard the store as down because an injected clock advances during a call', async () => {
    const { clock, state } = await open()
    let answer = () => {}
    state.gate = new Promise((resolve) => {
      answer = resolve
    })
    const written = outcome(WRITE())
    await clock.advance(3_600_000)
    const read = outcome(kernel.kv.readSecret({ path: 'never read before' }))
    await clock.advance(3_600_000)
    answer()
    expect(await written).toBe('done')
    expect(await read).toBe('ERR_NOT_FOUND')
  })

  it('fails a write whose commit has an unknown outcome, and later reads the value if the commit took effect', async () => {
    const { clock, state } = await open()
    state.unknown = true
    const written = outcome(kernel.kv.writeSecret({ path: 'c', data: { n: 3 } }))
    // The clock has to advance between the attempts of a commit.
    await expect
      .poll(() => clock.advance(100).then(() => Promise.race([written, 'tries'])), { timeout: 60_000 })
      .toBe('ERR_UNAVAILABLE')
    state.unknown = false
    state.manner = 'answers'
    // The commit took effect, and the caches contain it.
    expect(await kernel.kv.readSecret({ path: 'c' })).toMatchObject({ data: { n: 3 } })
  })

  it('does not regard the store as down because it refuses a single commit', async () => {
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
  ])('is not created with the invalid option %o', async (options) => {
    await open()
    const { storage } = serverStorage()
    await expect(createKernel({ storage, seal: keySeal(new Uint8Array(32)), ...(options as object) })).rejects.toThrow(TypeError)
  })
})
