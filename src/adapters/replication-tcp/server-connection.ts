/** A connection accepted by a listener. */
import type { Socket } from 'node:net'
import { validAnswer } from '../../core/base/valid-answer.ts'
import type { MessageHandler } from '../../core/contract/replication-transport.ts'
import type { Connections, ListenerConnection } from './connections.ts'
import { ANSWER, type Frame, MAX_CONTENT_BYTES, MESSAGE, NO_ANSWER } from './frame.ts'
import type { TcpSettings } from './options.ts'
import { Wire } from './wire.ts'

const NOTHING = new Uint8Array(0)
/**
 * The maximum number of messages that are processed concurrently for a connection over which no member has sent a message yet. It is low,
 * so that other connections get their turn.
 */
const MAX_STRANGER_REQUESTS = 8
/** A connection that has reserved more memory than this is not read until some of its messages have been answered. */
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

  /** A busy connection is not closed as a stranger's: the message that is being answered may turn out to come from a member. */
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
    if (frame.kind !== MESSAGE) throw new Error('the peer sent an answer that was not requested')
    this.#pendingRequests++
    this.#pauseOrResume()
    void this.#answer(frame)
  }

  async #answer({ id, content }: Frame): Promise<void> {
    // The handler owns the content and may transfer its buffer, so read the length now.
    const { length } = content
    const answer = await validAnswer(() => this.#handler(content, this.#markMember), MAX_CONTENT_BYTES)
    this.#wire.release(length)
    // Keep the memory reserved until the answer is written, so that a peer that sends requests but reads no answers is limited.
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
