/** The other side of a port: asked and answered over it. */
import { answerOf } from '../../core/base/answer-of.ts'
import { Awaited } from '../../core/base/awaited.ts'
import type { MessageHandler } from '../../core/contract/replication-transport.ts'
import { type Envelope, envelopeOf, type Kind, MOST_BYTES, openEnvelope } from './envelope.ts'
import type { WorkerPort } from './port.ts'

/** A port cannot be held back, so what one posts beyond this is refused. */
const MOST_UNDER_WAY = 256

const NOTHING = new Uint8Array(0)

export class Peer {
  readonly #name: string
  readonly #port: WorkerPort
  readonly #next: () => MessageHandler | undefined
  readonly #awaited = new Awaited<Uint8Array>(() => this.#hold())
  #attached = false
  #closed = false
  #listening = false
  #underWay = 0

  /** @param next The handler whose turn it is, if anybody listens. */
  constructor(name: string, port: WorkerPort, next: () => MessageHandler | undefined) {
    this.#name = name
    this.#port = port
    this.#next = next
  }

  request(bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    this.#attach()
    if (this.#closed) return Promise.reject(new Error(`the port of ${this.#name} is closed`))
    const answer = this.#awaited.ask(signal, (id) => this.#post('message', id, bytes))
    this.#hold()
    return answer
  }

  /** Whether somebody listens. What came before is delivered to the first who does. */
  listen(listening: boolean): void {
    this.#listening = listening
    this.#attach()
    this.#hold()
  }

  #attach(): void {
    if (this.#attached) return
    this.#attached = true
    this.#port.addEventListener('message', (event: { readonly data?: unknown }) => this.#take(event.data))
    this.#port.addEventListener('close', () => {
      this.#closed = true
      this.#awaited.rejectAll(new Error(`the port of ${this.#name} was closed`))
    })
    this.#port.start?.()
  }

  #take(posted: unknown): void {
    const envelope = openEnvelope(posted)
    if (!envelope) return
    const { kind, id, bytes } = envelope
    if (kind === 'message') this.#answer(envelope).catch(() => {})
    else if (kind === 'answer') this.#awaited.resolve(id, bytes)
    else this.#awaited.reject(id, new Error(`${this.#name} did not answer`))
  }

  async #answer({ id, bytes }: Envelope): Promise<void> {
    const handler = this.#underWay < MOST_UNDER_WAY ? this.#next() : undefined
    if (!handler) return this.#post('no-answer', id, NOTHING)
    this.#underWay++
    const answer = await answerOf(() => handler(bytes), MOST_BYTES)
    this.#underWay--
    if (answer) this.#post('answer', id, answer)
    else this.#post('no-answer', id, NOTHING)
  }

  #post(kind: Kind, id: number, bytes: Uint8Array): void {
    const envelope = envelopeOf(kind, id, bytes)
    this.#port.postMessage(envelope, [envelope.bytes.buffer])
  }

  /** Keeps the thread alive for whoever listens, and for requests under way. */
  #hold(): void {
    if (this.#listening || this.#awaited.size > 0) this.#port.ref?.()
    else this.#port.unref?.()
  }
}
