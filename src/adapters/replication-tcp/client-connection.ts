/** The connection to one address, made with its first request and kept for the next ones. */
import { connect, type Socket } from 'node:net'
import { Awaited } from '../../core/base/awaited.ts'
import { formatAddress, type HostAndPort } from './address.ts'
import { ANSWER, type Frame, MAX_CONTENT_BYTES, MESSAGE } from './frame.ts'
import type { TcpSettings } from './options.ts'
import { Wire } from './wire.ts'

/** The most that waits to be sent on one connection, copies of messages that were given up included. */
const MAX_QUEUED_BYTES = 16 * MAX_CONTENT_BYTES

export class ClientConnection {
  readonly #shown: string
  readonly #idleMs: number
  readonly #socket: Socket
  readonly #wire: Wire
  readonly #pending = new Awaited<Uint8Array>(() => this.#onIdle())
  readonly #onRetired: () => void
  #retired = false

  /** @param leave Called when it takes no further requests, possibly more than once. */
  constructor(target: HostAndPort, { idleMs, stallMs }: TcpSettings, leave: () => void) {
    this.#shown = formatAddress(target)
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
      throw new Error(`more than ${MAX_QUEUED_BYTES} bytes wait to be sent to ${this.#shown}`)
    const heard = this.#socket.bytesRead
    this.#socket.ref()
    try {
      return await this.#pending.ask(signal, (id) => this.#wire.send(MESSAGE, id, bytes))
    } catch (error) {
      // The system notices a machine that is gone only after minutes, so silence until the end of a request counts as such.
      if (signal.aborted && this.#socket.bytesRead === heard) this.#retire()
      throw error
    }
  }

  #take({ kind, id, content }: Frame): void {
    this.#wire.release(content.length)
    if (kind === MESSAGE) throw new Error('the peer asks where it should answer')
    if (kind === ANSWER) this.#pending.resolve(id, content)
    else this.#pending.reject(id, new Error(`${this.#shown} did not answer`))
  }

  #retire(): void {
    this.#retired = true
    this.#onRetired()
    this.#onIdle()
  }

  /** Nothing is under way: from now on it is idle, and keeps no process alive. */
  #onIdle(): void {
    if (this.#pending.size > 0) return
    if (this.#retired) this.#wire.end(new Error('the connection is not used again'))
    // The time begins anew: nothing may have happened since it passed while something was under way.
    else this.#socket.unref().setTimeout(this.#idleMs)
  }

  #onEnd(cause: Error): void {
    this.#onRetired()
    this.#pending.rejectAll(new Error(`the connection to ${this.#shown} was lost: ${cause.message}`, { cause }))
  }
}
