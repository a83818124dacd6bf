/** The types of events that an engine may publish. */
import type { Engine } from '../contract/engine.ts'
import { KERNEL_EVENTS } from '../contract/event.ts'

const OF_KERNEL: ReadonlySet<string> = /* @__PURE__ */ new Set(KERNEL_EVENTS)

/**
 * Subscribers can name only types that an engine lists, so an event of another type would reach hardly any of them.
 * @param variant The variant of the engine that a mount uses; without variants, the engine itself.
 * @throws TypeError if neither the engine nor the kernel lists the type.
 */
export function assertListed(type: string, engine: Engine, variant: Engine): void {
  if (OF_KERNEL.has(type) || engine.events?.includes(type) || variant.events?.includes(type)) return
  throw new TypeError(`the engine ${engine.type} does not list the event ${type}: add it to the member events of the engine`)
}
