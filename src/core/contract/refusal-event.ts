/**
 * Events of refusals: a refusal may carry one, which is published when the refusal is final.
 */
import type { KernelError } from '../base/errors.ts'
import type { RefusalEvents } from './event.ts'

interface RefusalEvent<T extends keyof RefusalEvents = keyof RefusalEvents> {
  readonly type: T
  readonly data: RefusalEvents[T]
}

export const refusalEvents = new WeakMap<KernelError, RefusalEvent>()

/** The same error, with this event in place of the one it carried. */
export function withRefusalEvent<T extends keyof RefusalEvents>(
  error: KernelError,
  type: T,
  data: RefusalEvents[T],
): KernelError {
  refusalEvents.set(error, { type, data })
  return error
}
