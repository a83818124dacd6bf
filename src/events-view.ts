import { type OptionNames, readOptions } from './core/base/options.ts'
import type { EventType, KernelEvent } from './core/contract/event.ts'
import type { EventBus, EventListener, ListenOptions, OnOptions, StreamOptions } from './core/transaction/events/bus.ts'

/**
 * The events of this kernel. Each is sent after the commit that caused it. Kernels in other processes on the same store report the events
 * of their own commits. No kernel reports a write that joined a transaction of the application (option `transaction`). Events are not
 * stored; use the audit log if you need every change.
 */
export class Events {
  readonly #bus: EventBus
  readonly #types: ReadonlySet<string>

  /** @internal */
  constructor(bus: EventBus, types: ReadonlySet<string>) {
    this.#bus = bus
    this.#types = types
  }

  /**
   * Calls `listener` for every event of a type, or of all types with `*`. The listener gets one event at a time, and never before the
   * operation that caused the event has finished.
   * @returns A function that removes the listener.
   * @throws TypeError for an event type that no engine of this kernel publishes, for an unknown option, and for a limit that is not a
   * positive integer.
   */
  on<T extends EventType>(type: T | '*', listener: EventListener<T>, options: OnOptions = {}): () => void {
    if (type !== '*') this.#checkTypes('on', [type])
    if (typeof listener !== 'function') throw new TypeError('on: listener must be a function')
    return this.#bus.on(
      type === '*' ? undefined : [type],
      listener as EventListener<EventType>,
      checked('on', options, ON_OPTIONS),
    )
  }

  /**
   * Yields the events that occur from now on: `for await (const event of kernel.events.stream({ types: ['key.rotated'], signal }))`.
   * @throws TypeError for the same reasons as {@link on}.
   */
  stream<T extends EventType = EventType>(
    options: StreamOptions<T> = {},
  ): AsyncGenerator<KernelEvent<T | 'events.lost'>, void, void> {
    const { types, ...rest } = checked('stream', options, STREAM_OPTIONS)
    if (types !== undefined) this.#checkTypes('stream', types)
    return this.#bus.stream(types, rest) as AsyncGenerator<KernelEvent<T | 'events.lost'>, void, void>
  }

  #checkTypes(what: string, types: unknown): asserts types is readonly EventType[] {
    if (!Array.isArray(types)) throw new TypeError(`${what}: types must be an array`)
    for (const type of types)
      if (!this.#types.has(type)) throw new TypeError(`${what}: unknown event type ${JSON.stringify(type)}`)
  }
}

const ON_OPTIONS: OptionNames<OnOptions> = { signal: 1, limit: 1, lost: 1 }
const STREAM_OPTIONS: OptionNames<StreamOptions<EventType>> = { signal: 1, limit: 1, types: 1 }

function checked<O extends ListenOptions>(what: string, given: O, names: OptionNames<O>): O {
  const options = readOptions(what, given, names)
  const { limit } = options
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) throw new TypeError('limit: must be a positive integer')
  return options
}
