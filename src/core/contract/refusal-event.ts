/** Events of refused requests. A refusal may carry one event, which is published when no rerun can succeed any more. */
import type { KernelError } from '../base/errors.ts'
import type { RefusalEvents } from './event.ts'

interface RefusalEvent<T extends keyof RefusalEvents = keyof RefusalEvents> {
  readonly type: T
  readonly data: RefusalEvents[T]
}

export const refusalEvents = new WeakMap<KernelError, RefusalEvent>()

/** Attaches an event to an error, replacing the one it had. */
export function withRefusalEvent<T extends keyof RefusalEvents>(
  error: KernelError,
  type: T,
  data: RefusalEvents[T],
): KernelError {
  refusalEvents.set(error, { type, data })
  return error
}
