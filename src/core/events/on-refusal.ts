/**
 * Events of what did not happen: a refusal may carry one, told when the refusal stands. Room: core/events. Imported by whoever refuses so,
 * and by what runs operations.
 */
import type { KernelError } from '../errors.ts'
import type { Call } from '../request/call.ts'
import type { EventBus } from './bus.ts'
import type { RefusalEvents } from './event.ts'

interface RefusalEvent<T extends keyof RefusalEvents = keyof RefusalEvents> {
  readonly type: T
  readonly data: RefusalEvents[T]
}

const events = new WeakMap<KernelError, RefusalEvent>()

/** The same error, with an event that is told in the place of the one it carried. */
export function tellingOf<T extends keyof RefusalEvents>(error: KernelError, type: T, data: RefusalEvents[T]): KernelError {
  events.set(error, { type, data })
  return error
}

/** @param now Milliseconds. */
export function tellRefusal(bus: EventBus, { namespace, mount }: Call, now: number, refusal: KernelError): void {
  const told = events.get(refusal)
  if (!told) return
  const { type, data } = told
  bus.tell([{ type, at: now, namespace: namespace.path, mount: mount.path, data }])
}
