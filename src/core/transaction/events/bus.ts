/**
 * Delivers events to listeners without delaying the request that caused them.
 */
import { type Clock, rfc3339 } from '../../base/clock.ts'
import type { EventData, EventType, KernelEvent, KernelEvents, PendingEvent } from '../../contract/event.ts'
import type { EventTrace } from '../../contract/tracer.ts'
import { Mailbox } from './mailbox.ts'

export interface ListenOptions {
  /** Aborting this signal ends the subscription. */
  readonly signal?: AbortSignal
  /** The maximum number of waiting events; default 1,024. Additional events are dropped and counted (`events.lost`). */
  readonly limit?: number
}

export interface OnOptions extends ListenOptions {
  /** Called with the number of events lost because the listener was too slow. */
  readonly lost?: (lost: number) => void
}

export interface StreamOptions<T extends EventType> extends ListenOptions {
  /** The event types to deliver. Default: all. `events.lost` is always delivered. */
  readonly types?: readonly T[]
}

/** A listener may return a promise. The next event is then delivered after the promise settles. Errors of the listener are ignored. */
export type EventListener<T extends EventType> = (event: KernelEvent<T>) => unknown

interface Subscriber {
  /** The event types to deliver; undefined means all. */
  readonly types: ReadonlySet<EventType> | undefined
  readonly mailbox: Mailbox
  readonly wake: () => void
}

const DEFAULT_QUEUE_EVENTS = 1024

export class EventBus {
  readonly #clock: Clock
  readonly #trace: EventTrace
  readonly #subscribers = new Set<Subscriber>()
  readonly #closing = new AbortController()
  readonly #onFailure: (failure: PendingEvent<'work.failed'>) => void

  /** @param onFailure Called for failed work, even if there is no listener. */
  constructor(clock: Clock, trace: EventTrace, onFailure: (failure: PendingEvent<'work.failed'>) => void) {
    this.#clock = clock
    this.#trace = trace
    this.#onFailure = onFailure
  }

  /** Publishes the events of a commit. They are built only if there is a listener. */
  publish(events: readonly PendingEvent[]): void {
    for (const event of events) if (isFailure(event)) this.#onFailure(event)
    if (this.#subscribers.size === 0 && !this.#trace.listening) return
    for (const pending of events) {
      const event = eventOf(pending)
      this.#trace.publish(event)
      for (const { types, mailbox, wake } of this.#subscribers) {
        if (types && !types.has(event.type)) continue
        mailbox.put(event)
        wake()
      }
    }
  }

  /** Publishes an event that belongs to no transaction. */
  publishKernelEvent<T extends keyof KernelEvents>(type: T, data: EventData[T]): void {
    this.publish([this.#kernelEvent(type, data)])
  }

  /** @param types Undefined means all. @returns A function that ends the subscription. */
  on(types: readonly EventType[] | undefined, listener: EventListener<EventType>, options: OnOptions): () => void {
    let running = false
    let left = false
    const drain = async (): Promise<void> => {
      running = true
      // Deliver events after the publisher's synchronous code.
      await Promise.resolve()
      for (let event = mailbox.take(); event && !left; event = mailbox.take()) {
        try {
          await (event.type === 'events.lost' ? options.lost?.(event.lost) : listener(event))
        } catch {
          // Errors of the listener are ignored, because no code waits for its result.
        }
      }
      running = false
    }
    const wake = (): void => {
      if (!running) void drain()
    }
    const { mailbox, end } = this.#subscribe(types, wake, options)
    const leave = (): void => {
      left = true
      end()
    }
    options.signal?.addEventListener('abort', leave, { once: true })
    return leave
  }

  /**
   * Returns a stream of events. Events are queued from this call on, even before the consumer requests the first one. When the stream ends,
   * it does so without an error.
   */
  stream(types: readonly EventType[] | undefined, options: ListenOptions): AsyncGenerator<KernelEvent, void, void> {
    let wake: () => void = () => {}
    const { mailbox, ended, end } = this.#subscribe(types, () => wake(), options)
    ended.signal.addEventListener('abort', () => wake(), { once: true })
    const stream = follow(mailbox, ended.signal, (awake) => {
      wake = awake
    })
    const leave = stream.return.bind(stream)
    // If the generator was never started, returning from it runs none of its code, so end the subscription here.
    stream.return = (value) => {
      end()
      return leave(value)
    }
    return stream
  }

  /** Ends all streams and subscriptions. */
  close(): void {
    this.#closing.abort()
  }

  #subscribe(types: readonly EventType[] | undefined, wake: () => void, { signal, limit = DEFAULT_QUEUE_EVENTS }: ListenOptions) {
    const mailbox = new Mailbox(limit, (lost) => eventOf(this.#kernelEvent('events.lost', { lost })))
    const subscriber: Subscriber = { types: types && new Set(types), mailbox, wake }
    const ended = new AbortController()
    const end = (): void => {
      this.#subscribers.delete(subscriber)
      ended.abort()
      for (const other of [signal, this.#closing.signal]) other?.removeEventListener('abort', end)
    }
    for (const other of [signal, this.#closing.signal]) other?.addEventListener('abort', end, { once: true })
    if (signal?.aborted || this.#closing.signal.aborted) ended.abort()
    else this.#subscribers.add(subscriber)
    return { mailbox, ended, end }
  }

  #kernelEvent<T extends keyof KernelEvents>(type: T, data: EventData[T]): PendingEvent<T> {
    return { type, at: this.#clock.now(), namespace: '', mount: '', data }
  }
}

const isFailure = (event: PendingEvent): event is PendingEvent<'work.failed'> => event.type === 'work.failed'

function eventOf<T extends EventType>({ type, at, namespace, mount, data }: PendingEvent<T>): KernelEvent<T> {
  return Object.freeze({ type, time: rfc3339(at), namespace, mount, ...data }) as unknown as KernelEvent<T>
}

async function* follow(
  mailbox: Mailbox,
  ended: AbortSignal,
  onWake: (wake: () => void) => void,
): AsyncGenerator<KernelEvent, void, void> {
  while (!ended.aborted || !mailbox.empty) {
    const event = mailbox.take()
    if (event) yield event
    else await new Promise<void>((resolve) => onWake(resolve))
  }
}
