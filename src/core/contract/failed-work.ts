/**
 * Background work that failed: reported by an event, and shown by `status()` until it is done.
 */
import { rfc3339 } from '../base/clock.ts'
import { KernelError } from '../base/errors.ts'
import type { EventPlace, FailedWork } from './event.ts'
import type { Tx } from './tx.ts'

/** Errors whose event was published where they were met; the handler at the end of the item removes them. */
export const reportedErrors = new WeakSet<object>()

const errorCode = (error: unknown): string => (error instanceof KernelError ? error.code : 'ERR_INTERNAL')

export interface WorkFailure {
  readonly lane: string
  readonly id: string
  readonly error: Error
  readonly attempt: number
  /** Milliseconds: when the item is due again. */
  readonly due: number
}

/** The event of a failure. */
export const failedWorkEvent = ({ lane, id, error, attempt, due }: WorkFailure): FailedWork => ({
  lane,
  id,
  code: errorCode(error),
  attempt,
  next_attempt: rfc3339(due),
})

/**
 * Reports a failure in the commit that stores the next attempt.
 * @param place Default: the place of the operation.
 */
export function reportFailure(tx: Tx, failure: WorkFailure, place?: EventPlace): void {
  reportedErrors.add(failure.error)
  tx.event('work.failed', failedWorkEvent(failure), place)
}
