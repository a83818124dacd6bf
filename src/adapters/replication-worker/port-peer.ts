/** The other side of a port. */

import { PendingRequests } from '../../core/base/pending-requests.ts'
import { validAnswer } from '../../core/base/valid-answer.ts'
import type { MessageHandler } from '../../core/contract/replication-transport.ts'
import { type Envelope, type EnvelopeKind, envelopeOf, MAX_CONTENT_BYTES, openEnvelope } from './envelope.ts'
import type { WorkerPort } from './port.ts'

/** Requests beyond this number are refused, because a port has no back-pressure. */
const MAX_PENDING_REQUESTS = 256

const NOTHING = new Uint8Array(0)

export class PortPeer {
  readonly #name: string
  readonly #port: WorkerPort
  readonly #nextHandler: () => MessageHandler | undefined
  readonly #pending = new PendingRequests<Uint8Array>(() => this.#updateRef())
  #attached = false
  #closed = false
  #listening = false
  #answering = 0

  /** @param next Returns the handler for the next message, or undefined if no handler is registered. */
  constructor(name: string, port: WorkerPort, next: () => MessageHandler | undefined) {
    this.#name = name
    this.#port = port
    this.#nextHandler = next
  }

  request(bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    this.#attach()
    if (this.#closed) return Promise.reject(new Error(`the port of ${this.#name} is closed`))
    const answer = this.#pending.send(signal, (id) => this.#post('message', id, bytes))
    this.#updateRef()
    return answer
  }

  /** Records whether a handler is registered. The first handler also gets the messages that arrived before it. */
  setListening(listening: boolean): void {
    this.#listening = listening
    this.#attach()
    this.#updateRef()
  }

  #attach(): void {
    if (this.#attached) return
    this.#attached = true
    this.#port.addEventListener('message', (event: { readonly data?: unknown }) => this.#take(event.data))
    this.#port.addEventListener('close', () => {
      this.#closed = true
      this.#pending.rejectAll(new Error(`the port of ${this.#name} was closed`))
    })
    this.#port.start?.()
  }

  #take(posted: unknown): void {
    const envelope = openEnvelope(posted)
    if (!envelope) return
    const { kind, id, bytes } = envelope
    if (kind === 'message') this.#answer(envelope).catch(() => {})
    else if (kind === 'answer') this.#pending.resolve(id, bytes)
    else this.#pending.reject(id, new Error(`${this.#name} did not answer`))
  }

  async #answer({ id, bytes }: Envelope): Promise<void> {
    const handler = this.#answering < MAX_PENDING_REQUESTS ? this.#nextHandler() : undefined
    if (!handler) return this.#post('no-answer', id, NOTHING)
    this.#answering++
    const answer = await validAnswer(() => handler(bytes), MAX_CONTENT_BYTES)
    this.#answering--
    if (answer) this.#post('answer', id, answer)
    else this.#post('no-answer', id, NOTHING)
  }

  #post(kind: EnvelopeKind, id: number, bytes: Uint8Array): void {
    const envelope = envelopeOf(kind, id, bytes)
    this.#port.postMessage(envelope, [envelope.bytes.buffer])
  }

  /** Keeps the thread alive while a handler is registered or a request is pending. */
  #updateRef(): void {
    if (this.#listening || this.#pending.size > 0) this.#port.ref?.()
    else this.#port.unref?.()
  }
}
