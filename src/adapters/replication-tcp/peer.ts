/** The connection to one address, made with its first request and kept for the next ones. */
import { connect, type Socket } from 'node:net'
import { Awaited } from '../../core/base/awaited.ts'
import { formatAddress, type Target } from './address.ts'
import { ANSWER, type Frame, MESSAGE, MOST_BYTES } from './frame.ts'
import type { CheckedOptions } from './options.ts'
import { Wire } from './wire.ts'

/** The most that waits to be sent on one connection, copies of messages that were given up included. */
const MOST_QUEUED_BYTES = 16 * MOST_BYTES

export class Peer {
  readonly #shown: string
  readonly #idleMs: number
  readonly #socket: Socket
  readonly #wire: Wire
  readonly #awaited = new Awaited<Uint8Array>(() => this.#rest())
  readonly #leave: () => void
  #retired = false

  /** @param leave Called when it takes no further requests, possibly more than once. */
  constructor(target: Target, { idleMs, stallMs }: CheckedOptions, leave: () => void) {
    this.#shown = formatAddress(target)
    this.#idleMs = idleMs
    this.#leave = leave
    this.#socket = connect({ ...target, noDelay: true })
    this.#wire = new Wire({
      socket: this.#socket,
      opens: true,
      idleMs,
      stallMs,
      isBusy: () => this.#awaited.size > 0,
      take: (frame) => this.#take(frame),
      ended: (error) => this.#ended(error),
    })
  }

  async request(bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#socket.writableLength + bytes.length > MOST_QUEUED_BYTES)
      throw new Error(`more than ${MOST_QUEUED_BYTES} bytes wait to be sent to ${this.#shown}`)
    const heard = this.#socket.bytesRead
    this.#socket.ref()
    try {
      return await this.#awaited.ask(signal, (id) => this.#wire.send(MESSAGE, id, bytes))
    } catch (error) {
      // The system notices a machine that is gone only after minutes, so silence until the end of a request counts as such.
      if (signal.aborted && this.#socket.bytesRead === heard) this.#retire()
      throw error
    }
  }

  #take({ kind, id, content }: Frame): void {
    this.#wire.release(content.length)
    if (kind === MESSAGE) throw new Error('the peer asks where it should answer')
    if (kind === ANSWER) this.#awaited.resolve(id, content)
    else this.#awaited.reject(id, new Error(`${this.#shown} did not answer`))
  }

  #retire(): void {
    this.#retired = true
    this.#leave()
    this.#rest()
  }

  /** Nothing is under way: from now on it is idle, and keeps no process alive. */
  #rest(): void {
    if (this.#awaited.size > 0) return
    if (this.#retired) this.#wire.end(new Error('the connection is not used again'))
    // The time begins anew: nothing may have happened since it passed while something was under way.
    else this.#socket.unref().setTimeout(this.#idleMs)
  }

  #ended(cause: Error): void {
    this.#leave()
    this.#awaited.rejectAll(new Error(`the connection to ${this.#shown} was lost: ${cause.message}`, { cause }))
  }
}
