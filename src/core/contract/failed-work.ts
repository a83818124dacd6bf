/** Failed background work. An event reports the failure, and `status()` shows it until the work succeeds. */
import { rfc3339 } from '../base/clock.ts'
import { KernelError } from '../base/errors.ts'
import type { EventPlace, FailedWork } from './event.ts'
import type { Tx } from './tx.ts'

/**
 * Errors for which the operation has already published an event. The code that runs background work removes such an error from the set and
 * publishes no second event.
 */
export const reportedErrors = new WeakSet<object>()

const errorCode = (error: unknown): string => (error instanceof KernelError ? error.code : 'ERR_INTERNAL')

export interface WorkFailure {
  readonly lane: string
  readonly id: string
  readonly error: Error
  readonly attempt: number
  /** When the item is due again, in milliseconds since the epoch. */
  readonly due: number
}

/** The data of the event `work.failed`. */
export const failedWorkEvent = ({ lane, id, error, attempt, due }: WorkFailure): FailedWork => ({
  lane,
  id,
  code: errorCode(error),
  attempt,
  next_attempt: rfc3339(due),
})

/**
 * Publishes `work.failed` in the commit that schedules the next attempt.
 * @param place Default: the mount and namespace of the operation.
 */
export function reportFailure(tx: Tx, failure: WorkFailure, place?: EventPlace): void {
  reportedErrors.add(failure.error)
  tx.event('work.failed', failedWorkEvent(failure), place)
}
