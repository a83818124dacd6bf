/**
 * Limits how long calls of a transport may take, and checks their results.
 *
 * Clusters in one process answer within a turn of the event loop, so a request gets a timer only if it is still pending in the next turn.
 */
import type { Clock } from '../../core/base/clock.ts'
import type { Deadline } from '../../core/base/deadline.ts'
import { isBytes } from '../../core/contract/ports.ts'
import type { MessageHandler, ReplicationTransport, TransportListener } from '../../core/contract/replication-transport.ts'

/**
 * How many requests get the same signal, one after the other. A signal costs more than a short message. But a transport may leave listeners
 * at a signal that was not aborted, so their number is limited.
 */
const MAX_USES = 64

const REQUEST = 'ports.replication.request'

const LISTEN = 'ports.replication.listen'

interface TransportLimits {
  readonly clock: Clock
  readonly deadline: Deadline
  /** Aborted when the kernel closes. */
  readonly closing: AbortSignal
}

interface RequestStop {
  readonly controller: AbortController
  uses: number
}

interface PendingRequest {
  readonly work: Promise<Uint8Array>
  readonly stop: RequestStop
  readonly resolve: (answer: Uint8Array | PromiseLike<Uint8Array>) => void
}

export class LimitedTransport implements ReplicationTransport {
  readonly #transport: ReplicationTransport
  readonly #limits: TransportLimits
  /** The requests that were sent in this turn of the event loop and have not been answered. */
  readonly #pending = new Set<PendingRequest>()
  #spareStop: RequestStop | undefined
  #isTurnAwaited = false

  constructor(transport: ReplicationTransport, limits: TransportLimits) {
    this.#transport = transport
    this.#limits = limits
  }

  async listen(address: string, handler: MessageHandler): Promise<TransportListener> {
    const listening: unknown = await this.#limits.deadline.call({
      name: LISTEN,
      call: () => this.#transport.listen(address, handler),
      late: (listener) => listener.close(),
    })
    if (isListener(listening)) return listening
    throw wrongType(LISTEN)
  }

  request(address: string, bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#limits.closing.aborted) return this.#limited(() => this.#transport.request(address, bytes, this.#limits.closing))
    const stop = this.#takeStop()
    // The async function turns a synchronous throw into a rejection.
    const work = (async () => checked(await this.#transport.request(address, bytes, stop.controller.signal)))()
    return new Promise((resolve, reject) => {
      const pending = { work, stop, resolve }
      this.#pending.add(pending)
      const settle = (): boolean => {
        if (!this.#pending.delete(pending)) return false
        if (++stop.uses < MAX_USES) this.#spareStop = stop
        return true
      }
      work.then(
        (answer) => settle() && resolve(answer),
        (error: unknown) => settle() && reject(error),
      )
      if (!this.#isTurnAwaited) void this.#limitAfterTurn()
    })
  }

  #takeStop(): RequestStop {
    const stop = this.#spareStop ?? { controller: new AbortController(), uses: 0 }
    this.#spareStop = undefined
    return stop
  }

  /** Limits the time of all requests that are still pending in the next turn of the event loop. */
  async #limitAfterTurn(): Promise<void> {
    this.#isTurnAwaited = true
    await this.#limits.clock.sleep(0)
    this.#isTurnAwaited = false
    const pending = [...this.#pending]
    this.#pending.clear()
    for (const { work, stop, resolve } of pending) resolve(this.#limited(() => work, stop.controller))
  }

  async #limited(work: () => Promise<Uint8Array>, stop?: AbortController): Promise<Uint8Array> {
    try {
      return await this.#limits.deadline.call({
        name: REQUEST,
        call: (signal) => {
          signal.addEventListener('abort', () => stop?.abort(signal.reason))
          return work()
        },
      })
    } catch (error) {
      // The signal of the call is not aborted if the kernel was closed before the call.
      stop?.abort(error)
      throw error
    }
  }
}

function checked(answer: unknown): Uint8Array {
  if (isBytes(answer)) return answer as Uint8Array
  throw wrongType(REQUEST)
}

function isListener(answer: unknown): answer is TransportListener {
  const { address, close } = (answer ?? {}) as Partial<TransportListener>
  return typeof address === 'string' && typeof close === 'function'
}

const wrongType = (method: string): TypeError => new TypeError(`${method}: resolved with a value of the wrong type`)
