/**
 * A failed item of background work, and its report.
 */
import type { EventPlace } from '../contract/event.ts'
import { failedWorkEvent, reportedErrors } from '../contract/failed-work.ts'
import type { Host } from '../transaction/host.ts'

/** An item of scheduled background work that failed. */
export interface FailedItem {
  /** The kind of work, such as `rotation`. */
  readonly lane: string
  /** The id of the item, unique within its kind of work and its mount. */
  readonly id: string
  /** The error. */
  readonly error: Error
}

export const failedItem = (lane: string, id: string, error: unknown): FailedItem => ({
  lane,
  id,
  error: asError(error),
})

/** A thrown value that is not an error may contain anything, so it is not reported. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error('failed'))

/**
 * Reports the failure of an item that stays due. The due time in the store is unchanged, so `next` says when the item is tried again.
 * @param due The due time of the item in milliseconds since the epoch.
 * @param next When the item is tried again, in milliseconds since the epoch. Default: immediately.
 */
export function reportItem(
  { clock, events, failures }: Pick<Host, 'clock' | 'events' | 'failures'>,
  { lane, id, error }: FailedItem,
  place: EventPlace,
  { due, next = 0 }: { readonly due?: number; readonly next?: number } = {},
): void {
  if (reportedErrors.delete(error)) return
  const at = clock.now()
  const attempt = (failures.of(lane, place.uuid ?? '', id)?.attempt ?? 0) + 1
  const data = failedWorkEvent({ lane, id, error, attempt, due: Math.max(next, at) })
  const event = { type: 'work.failed', at, ...place, data } as const
  events.publish([event])
  failures.note(event, due)
}
