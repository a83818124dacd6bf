/**
 * Events of what did not happen: a refusal may carry one, told when the refusal stands.
 */
import type { KernelError } from '../base/errors.ts'
import type { RefusalEvents } from './event.ts'

interface RefusalEvent<T extends keyof RefusalEvents = keyof RefusalEvents> {
  readonly type: T
  readonly data: RefusalEvents[T]
}

export const events = new WeakMap<KernelError, RefusalEvent>()

/** The same error, with an event that is told in the place of the one it carried. */
export function tellingOf<T extends keyof RefusalEvents>(error: KernelError, type: T, data: RefusalEvents[T]): KernelError {
  events.set(error, { type, data })
  return error
}
