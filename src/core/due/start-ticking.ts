/**
 * Runs ticks at an interval.
 */
import type { Clock } from '../base/clock.ts'
import { combinedSignal } from '../base/combined-signal.ts'
import { asError } from './failed-item.ts'
import type { CheckedStartOptions } from './start-options.ts'
import type { TickResult } from './tick.ts'

interface TickTimerParts {
  readonly clock: Clock
  readonly tick: () => Promise<TickResult>
  /** Whether there can be due work: not while the store is sealed or not initialized. */
  readonly isReady: () => boolean
  /** Called after each tick that failed as a whole. `next` is the time of the next tick in milliseconds since the epoch. */
  readonly failed: (error: Error, next: number) => void
  readonly succeeded: () => void
  readonly closed: AbortSignal
}

/**
 * Runs ticks until it is stopped. A tick runs the background work that is due. If a tick fails as a whole, the work remains due, so the
 * next tick tries it again.
 */
export function startTicking(
  { clock, tick: run, isReady, failed, succeeded, closed }: TickTimerParts,
  options: CheckedStartOptions,
): () => void {
  const { intervalMs, unref, onTick, onError } = options
  const stop = new AbortController()
  const signal = combinedSignal(stop.signal, closed)
  const tick = async () => {
    try {
      const result = await run()
      succeeded()
      call(onTick, result)
    } catch (thrown) {
      // Sealing the kernel ends its ticks, which is no failure.
      if (signal.aborted || !isReady()) return
      const error = asError(thrown)
      failed(error, clock.now() + intervalMs)
      call(onError, error)
    }
  }
  const loop = async () => {
    while (!signal.aborted) {
      if (isReady()) await tick()
      await clock.sleep(intervalMs, signal, { unref: unref === true }).catch(() => {})
    }
  }
  void loop()
  return () => stop.abort()
}

/** An error that a callback throws becomes an uncaught exception of the application. It does not stop the ticks. */
function call<T>(callback: ((value: T) => void) | undefined, value: T): void {
  if (callback) queueMicrotask(() => callback(value))
}
