import type { Clock } from '../core/base/clock.ts'

export interface FakeClock extends Clock {
  /**
   * Advances the time by `ms` milliseconds. Callers of `sleep` wake in the order of their wake times. When a caller wakes, `now()` returns
   * exactly its wake time. The next caller wakes only after all work of the previous one has ended, including new sleeps within `ms`.
   * Concurrent calls of `advance` run one after the other. Work that waits for something outside of the clock, such as a disk, can still be
   * in progress when the promise resolves.
   */
  advance(ms: number): Promise<void>
  /** Sets the time of day, forward or backward. Like real timers, pending calls of `sleep` still take the requested duration. */
  set(now: number): void
  /** The number of calls of `sleep` with more than 0 milliseconds that have not resolved yet. */
  readonly sleeping: number
}

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

/**
 * The maximum number of event loop turns for which `advance` waits for calls of `sleep(0)`. Without this limit, it would wait forever for a
 * loop that calls `sleep(0)` until a later time is reached.
 */
const MAX_TURNS = 1000

/**
 * Returns a clock whose time changes only when a test changes it.
 * @param start The time at the start, in milliseconds since the Unix epoch. Default: 2026-01-01T00:00:00Z.
 */
export function fakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  // The elapsed time, which determines when sleepers wake. `set` does not change it.
  let elapsed = 0
  let offset = start
  let yielding = 0
  let advancing: Promise<unknown> = Promise.resolve()
  /** Pending calls of `sleep`, ordered by wake time; those with the same wake time in the order of the calls. */
  const sleepers: Sleeper[] = []

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  /** Waits until promise chains have settled and no `sleep(0)` is pending. */
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
      if (!(ms >= 0 && Number.isFinite(ms)))
        throw new RangeError('advance: ms must be a finite number of at least 0; use set() to set the time back')
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
