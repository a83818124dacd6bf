/**
 * Claims under pauses, long items, lost replies and clocks that jump.
 */
import { expect, it } from 'vitest'
import {
  createKernel,
  type Kernel,
  keySeal,
  memoryStorage,
  nobleCrypto,
  type Op,
  OutcomeUnknown,
  type Storage,
} from '../../src/index.ts'
import { type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { bytesOf } from '../property/support.ts'

const SEAL = keySeal(bytesOf(32, 8))
const HOUR = 3_600_000
const TTL = 30_000

const isClaim = (op: Op): boolean => 'key' in op && op.key.startsWith('i/claim/')
/** Whether this is the commit of a tick's item, which checks the claim. */
const isItem = (ops: readonly Op[]): boolean =>
  ops.some((op) => op.op === 'check' && isClaim(op)) && ops.some((op) => !isClaim(op))

interface Line {
  readonly storage: Storage
  /** The number of commits that are being held. */
  readonly held: number
  /** Holds commits of this kind before they take effect, until `release`. */
  hold(kind: (ops: readonly Op[]) => boolean): void
  release(): void
}

function heldUp(inner: Storage): Line {
  let kind: ((ops: readonly Op[]) => boolean) | undefined
  let waiting: (() => void)[] = []
  const storage: Storage = {
    ...inner,
    commit: async (ops, id) => {
      if (kind?.(ops)) await new Promise<void>((resolve) => waiting.push(resolve))
      return inner.commit(ops, id)
    },
  }
  return {
    storage,
    get held() {
      return waiting.length
    },
    hold(matches) {
      kind = matches
    },
    release() {
      kind = undefined
      for (const go of waiting) go()
      waiting = []
    },
  }
}

/** The platform's cryptography takes real time, which the fake clocks do not measure. */
const crypto = nobleCrypto({ accelerate: false })

const openOn = (storage: Storage, clock: FakeClock): Promise<Kernel> =>
  createKernel({ storage, clock, crypto, seal: SEAL, initialize: true })

const versionOf = async (kernel: Kernel): Promise<number> => (await kernel.transit.readKey({ name: 'k' })).latest_version

/** Advances the clocks in small steps until the promise settles, but only while the work waits, as it does after a conflict. */
async function passing<T>(promise: Promise<T>, ...clocks: readonly FakeClock[]): Promise<T> {
  let over = false
  const done = promise.finally(() => {
    over = true
  })
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve))
    for (const clock of clocks) await clock.advance(clock.sleeping > 0 ? 10 : 0)
  }
  return done
}

/** Two kernels on one store, of which the first has commits that can be held, and a rotation that is due. */
async function rivals() {
  const clock = fakeClock()
  const inner = memoryStorage()
  const line = heldUp(inner)
  const [slow, otherKernel] = [await openOn(line.storage, clock), await openOn(inner, clock)]
  await slow.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
  await clock.advance(HOUR)
  return { clock, inner, line, slow, other: otherKernel }
}

it('a paused claim holder commits nothing when it resumes after another process took over', async () => {
  const { clock, line, slow, other } = await rivals()
  line.hold(isItem)
  const ticking = slow.tick()
  while (line.held === 0) await clock.advance(0)
  line.hold(() => true)
  expect(await other.tick()).toMatchObject({ done: 0, more: true })
  await clock.advance(TTL)
  expect(await other.tick()).toMatchObject({ done: 1, failed: [] })
  line.release()
  expect(await passing(ticking, clock)).toMatchObject({ done: 0, failed: [], more: true })
  expect([await versionOf(slow), await versionOf(other)]).toEqual([2, 2])
  // The kernel knows that it no longer holds the claim.
  await clock.advance(HOUR)
  expect(await slow.tick()).toMatchObject({ done: 0, more: true })
  expect(await other.tick()).toMatchObject({ done: 1 })
  expect(await versionOf(slow)).toBe(3)
})

it('a claim holder that works on one item for a long time keeps its claim', async () => {
  const { clock, line, slow, other } = await rivals()
  line.hold(isItem)
  const ticking = slow.tick()
  while (line.held === 0) await clock.advance(0)
  for (let passed = 0; passed < 10 * TTL; passed += TTL / 3) {
    expect(await other.tick()).toMatchObject({ done: 0, more: true })
    await clock.advance(TTL / 3)
  }
  line.release()
  expect(await passing(ticking, clock)).toMatchObject({ done: 1, failed: [] })
  expect(await versionOf(other)).toBe(2)
})

it('a paused claim holder continues if no other process took over', async () => {
  const { clock, line, slow, other } = await rivals()
  line.hold(isItem)
  const ticking = slow.tick()
  while (line.held === 0) await clock.advance(0)
  line.hold(() => true)
  await clock.advance(100 * TTL)
  line.release()
  expect(await passing(ticking, clock)).toMatchObject({ done: 1, failed: [] })
  expect(await versionOf(other)).toBe(2)
})

it('a contender that finds the claim renewed waits for the whole takeover time again', async () => {
  const { clock, slow, other } = await rivals()
  for (let hour = 0; hour < 3; hour++) {
    expect(await slow.tick()).toMatchObject({ done: 1 })
    await clock.advance(HOUR)
    expect(await other.tick()).toMatchObject({ done: 0, more: true })
    await clock.advance(TTL - 1)
    expect(await other.tick()).toMatchObject({ done: 0, more: true })
  }
  await clock.advance(1)
  expect(await other.tick()).toMatchObject({ done: 1 })
})

it('a claim holder recognizes its own claim although it never learned whether the commit of the claim succeeded', async () => {
  const clock = fakeClock()
  const inner = memoryStorage()
  let lost = false
  const storage: Storage = {
    ...inner,
    commit: async (ops, id) => {
      const verdict = await inner.commit(ops, id)
      if (lost && ops.every(isClaim)) throw new OutcomeUnknown('the line is dead')
      return verdict
    },
  }
  const kernel = await openOn(storage, clock)
  await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
  for (let version = 1; version < 4; version++) {
    await clock.advance(HOUR)
    lost = true
    const ticking = kernel.tick()
    await clock.advance(5000)
    expect((await ticking).failed).toMatchObject([{ lane: 'rotation', error: { status: 503 } }])
    lost = false
    expect(await kernel.tick()).toMatchObject({ done: 1, more: false })
    expect(await versionOf(kernel)).toBe(version + 1)
  }
})

it.each([
  ['forwards', 1000 * HOUR],
  ['backwards', -1000 * HOUR],
])('two kernels whose clocks jump %s rotate a due key only once', async (_, jump) => {
  const clocks = [fakeClock(), fakeClock()] as const
  const inner = memoryStorage()
  const line = heldUp(inner)
  const [slow, otherKernel] = [await openOn(line.storage, clocks[0]), await openOn(inner, clocks[1])]
  const pass = (ms: number) => Promise.all(clocks.map((clock) => clock.advance(ms)))
  await slow.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
  await pass(HOUR)
  line.hold(isItem)
  const ticking = slow.tick()
  while (line.held === 0) await pass(0)
  // It reads the claim before its clock jumps, so at worst it takes over from a process that is still working.
  await otherKernel.tick()
  clocks[1].set(clocks[1].now() + jump)
  const took = await otherKernel.tick()
  line.release()
  const kept = await passing(ticking, ...clocks)
  expect([kept.failed, took.failed, kept.done + took.done]).toEqual([[], [], 1])
  expect(await versionOf(slow)).toBe(2)
  await pass(TTL)
  await otherKernel.tick()
  await pass(TTL)
  for (const kernel of [slow, otherKernel]) expect((await kernel.tick()).failed).toEqual([])
})

it('a kernel releases all its claims when it closes', async () => {
  const { clock, inner, slow, other } = await rivals()
  await slow.tick()
  expect(await inner.list('i/claim/')).not.toEqual([])
  await slow.close()
  expect(await inner.list('i/claim/')).toEqual([])
  await clock.advance(HOUR)
  expect(await other.tick()).toMatchObject({ more: false })
})
