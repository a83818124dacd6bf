/**
 * Publishes the event that is attached to the error of a refused request. Called only when the request will not run again.
 */
import type { KernelError } from '../../base/errors.ts'
import { refusalEvents } from '../../contract/refusal-event.ts'
import type { CallBase } from '../../contract/tx.ts'
import type { EventBus } from './bus.ts'

/** @param now Milliseconds. */
export function publishRefusal(bus: EventBus, { namespace, mount }: CallBase, now: number, refusal: KernelError): void {
  const event = refusalEvents.get(refusal)
  if (!event) return
  const { type, data } = event
  bus.publish([{ type, at: now, namespace: namespace.path, mount: mount.path, data }])
}
