/**
 * A clock that stands still until a test moves it.
 */
import type { Clock } from '../core/base/clock.ts'

export interface FakeClock extends Clock {
  /**
   * Advances by `ms` milliseconds. All sleepers wake in the order of their times, with `now()` at exactly that time, and the work
   * they do then (also new sleeps, if due within `ms`) runs before the next one wakes. Calls run one after the other. Work that
   * waits for something real, such as a disk, may still be under way when this resolves.
   */
  advance(ms: number): Promise<void>
  /** Sets the time of day, also backwards. Sleepers do not notice, like real timers: they still sleep for their requested time. */
  set(now: number): void
  /** The number of sleepers with more than 0 milliseconds at present. */
  readonly sleeping: number
}

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

/** Enough for any chain of work that ends; a loop of `sleep(0)` that waits for the clock must not block it for ever. */
const MAX_TURNS = 1000

/** A fake clock at `start`, by default 2026-01-01T00:00:00Z. */
export function fakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  // Sleepers are due by a separate time, which never jumps.
  let elapsed = 0
  let offset = start
  let yielding = 0
  let advancing: Promise<unknown> = Promise.resolve()
  /** By time, and first come first served at the same time. */
  const sleepers: Sleeper[] = []

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  /** Waits until promise chains have ended and no `sleep(0)` is left. */
  const settle = async (): Promise<void> => {
    await turn()
    for (let turns = 1; yielding > 0 && turns < MAX_TURNS; turns++) await turn()
  }

  const advance = async (ms: number): Promise<void> => {
    await settle()
    const target = elapsed + ms
    for (let next = sleepers[0]; next && next.due <= target; next = sleepers[0]) {
      sleepers.shift()
      elapsed = next.due
      next.wake()
      await settle()
    }
    elapsed = target
  }

  const yieldOnce = async (): Promise<void> => {
    yielding++
    await turn()
    yielding--
  }

  return {
    now: () => offset + elapsed,
    get sleeping() {
      return sleepers.length
    },
    set(now) {
      offset = now - elapsed
    },
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError('time only passes forwards: use set() to jump back')
      const done = advancing.then(() => advance(ms))
      advancing = done
      return done
    },
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason)
      if (ms <= 0) return yieldOnce()
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          sleepers.splice(sleepers.indexOf(sleeper), 1)
          reject(signal?.reason)
        }
        const wake = (): void => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        const sleeper: Sleeper = { due: elapsed + ms, wake }
        const at = sleepers.findIndex((other) => other.due > sleeper.due)
        sleepers.splice(at < 0 ? sleepers.length : at, 0, sleeper)
        signal?.addEventListener('abort', abort, { once: true })
      })
    },
  }
}
