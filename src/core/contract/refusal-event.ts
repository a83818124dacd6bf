/**
 * Events about refused requests. An error that refuses a request may have one event attached. The event is published only after the last
 * run of the operation, because an earlier run may be refused only because it used outdated records.
 */
import type { KernelError } from '../base/errors.ts'
import type { RefusalEvents } from './event.ts'

interface RefusalEvent<T extends keyof RefusalEvents = keyof RefusalEvents> {
  readonly type: T
  readonly data: RefusalEvents[T]
}

export const refusalEvents = new WeakMap<KernelError, RefusalEvent>()

/** Attaches an event to an error. Replaces an event that was attached before. */
export function withRefusalEvent<T extends keyof RefusalEvents>(
  error: KernelError,
  type: T,
  data: RefusalEvents[T],
): KernelError {
  refusalEvents.set(error, { type, data })
  return error
}
