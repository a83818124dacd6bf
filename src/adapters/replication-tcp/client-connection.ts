/** A connection to one address. It is opened for the first request and kept for later requests. */
import { connect, type Socket } from 'node:net'
import { PendingRequests } from '../../core/base/pending-requests.ts'
import { formatHostAndPort, type HostAndPort } from './address.ts'
import { ANSWER, type Frame, MAX_CONTENT_BYTES, MESSAGE } from './frame.ts'
import type { TcpSettings } from './options.ts'
import { Wire } from './wire.ts'

/** The maximum size of queued data per connection, including messages whose requests were abandoned. */
const MAX_QUEUED_BYTES = 16 * MAX_CONTENT_BYTES

export class ClientConnection {
  readonly #shown: string
  readonly #idleMs: number
  readonly #socket: Socket
  readonly #wire: Wire
  readonly #pending = new PendingRequests<Uint8Array>(() => this.#onIdle())
  readonly #onRetired: () => void
  #retired = false

  /** @param leave Called, possibly more than once, when the connection accepts no further requests. */
  constructor(target: HostAndPort, { idleMs, stallMs }: TcpSettings, leave: () => void) {
    this.#shown = formatHostAndPort(target)
    this.#idleMs = idleMs
    this.#onRetired = leave
    this.#socket = connect({ ...target, noDelay: true })
    this.#wire = new Wire({
      socket: this.#socket,
      opens: true,
      idleMs,
      stallMs,
      isBusy: () => this.#pending.size > 0,
      take: (frame) => this.#take(frame),
      ended: (error) => this.#onEnd(error),
    })
  }

  async request(bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#socket.writableLength + bytes.length > MAX_QUEUED_BYTES)
      throw new Error(`more than ${MAX_QUEUED_BYTES} bytes are queued for ${this.#shown} already`)
    const heard = this.#socket.bytesRead
    this.#socket.ref()
    try {
      return await this.#pending.send(signal, (id) => this.#wire.send(MESSAGE, id, bytes))
    } catch (error) {
      // The operating system reports an unreachable machine only after minutes, so retire a connection that received nothing during a
      // request that timed out.
      if (signal.aborted && this.#socket.bytesRead === heard) this.#retire()
      throw error
    }
  }

  #take({ kind, id, content }: Frame): void {
    this.#wire.release(content.length)
    if (kind === MESSAGE) throw new Error('the peer sent a request instead of an answer')
    if (kind === ANSWER) this.#pending.resolve(id, content)
    else this.#pending.reject(id, new Error(`${this.#shown} did not answer`))
  }

  #retire(): void {
    this.#retired = true
    this.#onRetired()
    this.#onIdle()
  }

  /** If no request is pending, closes a retired connection; otherwise starts the idle timeout, and no longer keeps the process alive. */
  #onIdle(): void {
    if (this.#pending.size > 0) return
    if (this.#retired) this.#wire.end(new Error('the connection is closed because the peer did not answer'))
    // Restart the idle timeout: it may have elapsed unnoticed while requests were pending.
    else this.#socket.unref().setTimeout(this.#idleMs)
  }

  #onEnd(cause: Error): void {
    this.#onRetired()
    this.#pending.rejectAll(new Error(`the connection to ${this.#shown} was lost: ${cause.message}`, { cause }))
  }
}
