/** A connection that somebody else made. */
import type { Socket } from 'node:net'
import { answerOf } from '../../core/base/answer-of.ts'
import type { MessageHandler } from '../../core/contract/replication-transport.ts'
import type { Connections, ListenerConnection } from './connections.ts'
import { ANSWER, type Frame, MAX_CONTENT_BYTES, MESSAGE, NO_ANSWER } from './frame.ts'
import type { TcpSettings } from './options.ts'
import { Wire } from './wire.ts'

const NOTHING = new Uint8Array(0)
/** Messages of a connection under way that has carried none of a member yet: others have their turns between them. */
const MAX_STRANGER_REQUESTS = 8
/** A connection for which more than this is held takes nothing further until some of it is answered. */
const PAUSE_ABOVE_BYTES = 4 * MAX_CONTENT_BYTES

export class ServerConnection implements ListenerConnection {
  readonly remoteAddress: string
  readonly #handler: MessageHandler
  readonly #maxRequests: number
  readonly #wire: Wire
  #pendingRequests = 0
  #isMember = false
  readonly #markMember = (): void => {
    this.#isMember = true
    this.#pauseOrResume()
  }
  readonly connectedAt = performance.now()

  constructor(socket: Socket, handler: MessageHandler, connections: Connections, options: TcpSettings) {
    this.remoteAddress = socket.remoteAddress ?? ''
    this.#handler = handler
    this.#maxRequests = options.maxRequests
    this.#wire = new Wire({
      socket,
      opens: false,
      idleMs: 2 * options.idleMs,
      stallMs: options.stallMs,
      memory: {
        reserve: (bytes) => connections.reserveMemory(this, bytes),
        release: (bytes) => connections.releaseMemory(bytes),
      },
      isBusy: () => this.#pendingRequests > 0,
      take: (frame) => this.#take(frame),
      ended: () => connections.delete(this),
    })
  }

  get isMember(): boolean {
    return this.#isMember
  }

  /** A message that is being answered may still prove that it is a member's. */
  get isBusy(): boolean {
    return this.#pendingRequests > 0
  }

  get memoryBytes(): number {
    return this.#wire.memoryBytes
  }

  end(reason: string): void {
    this.#wire.end(new Error(reason))
  }

  #take(frame: Frame): void {
    if (frame.kind !== MESSAGE) throw new Error('the peer answers what nobody asked')
    this.#pendingRequests++
    this.#pauseOrResume()
    void this.#answer(frame)
  }

  async #answer({ id, content }: Frame): Promise<void> {
    // The content belongs to the handler, which may shrink its buffer.
    const { length } = content
    const answer = await answerOf(() => this.#handler(content, this.#markMember), MAX_CONTENT_BYTES)
    this.#wire.release(length)
    // Until it is written, whoever asks and does not read has no room for further answers.
    const bytes = answer && this.#wire.reserve(answer.length) ? answer : undefined
    this.#wire.send(bytes ? ANSWER : NO_ANSWER, id, bytes ?? NOTHING, () => {
      if (bytes) this.#wire.release(bytes.length)
      this.#pendingRequests--
      this.#pauseOrResume()
    })
  }

  #pauseOrResume(): void {
    const most = this.#isMember ? this.#maxRequests : Math.min(this.#maxRequests, MAX_STRANGER_REQUESTS)
    if (this.#pendingRequests >= most || this.#wire.memoryBytes >= PAUSE_ABOVE_BYTES) this.#wire.pause()
    else this.#wire.resume()
  }
}
