/** `kernel.events`: the events of one kernel. */

import type { EventType, KernelEvent } from './core/contract/event.ts'
import type { EventBus, EventListener, ListenOptions, OnOptions, StreamOptions } from './core/transaction/events/bus.ts'

/**
 * What happened in this kernel, reported after the commit. Other processes on the same store report their own events through
 * their own kernels. No kernel reports a write that became part of an application's transaction (`within`). Delivery is in
 * memory: use the audit log where every change is needed.
 */
export class Events {
  readonly #bus: EventBus

  /** @internal */
  constructor(bus: EventBus) {
    this.#bus = bus
  }

  /**
   * Calls `listener` for every event of a type, or of all types with `*`: one event after the other, and never before the
   * operation that caused it is done.
   * @returns A function that removes the listener.
   * @throws TypeError for a limit that is no positive whole number.
   */
  on<T extends EventType>(type: T | '*', listener: EventListener<T>, options: OnOptions = {}): () => void {
    if (typeof type !== 'string') throw new TypeError('on: type must be a string')
    if (typeof listener !== 'function') throw new TypeError('on: listener must be a function')
    return this.#bus.on(type === '*' ? undefined : [type], listener as EventListener<EventType>, checked(options))
  }

  /** Events from now on: `for await (const event of kernel.events.stream({ types: ['key.rotated'], signal }))`. */
  stream<T extends EventType = EventType>(
    options: StreamOptions<T> = {},
  ): AsyncGenerator<KernelEvent<T | 'events.lost'>, void, void> {
    return this.#bus.stream(options.types, checked(options)) as AsyncGenerator<KernelEvent<T | 'events.lost'>, void, void>
  }
}

function checked<O extends ListenOptions>(options: O): O {
  const { limit } = options
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
    throw new TypeError('limit: must be a positive whole number')
  return options
}
