/** A connection that somebody else made. */
import type { Socket } from 'node:net'
import { answerOf } from '../../core/base/answer-of.ts'
import type { MessageHandler } from '../../core/contract/replication-transport.ts'
import type { Connection, Connections } from './connections.ts'
import { ANSWER, type Frame, MESSAGE, MOST_BYTES, NO_ANSWER } from './frame.ts'
import type { CheckedOptions } from './options.ts'
import { Wire } from './wire.ts'

const NOTHING = new Uint8Array(0)
/** Messages of a connection under way that has carried none of a member yet: others have their turns between them. */
const MAX_STRANGER_REQUESTS = 8
/** A connection for which more than this is held takes nothing further until some of it is answered. */
const PAUSE_BYTES = 4 * MOST_BYTES

export class Serving implements Connection {
  readonly remoteAddress: string
  readonly #handler: MessageHandler
  readonly #maxRequests: number
  readonly #wire: Wire
  #underWay = 0
  #isMember = false
  readonly #fromMember = (): void => {
    this.#isMember = true
    this.#pace()
  }
  readonly since = performance.now()

  constructor(socket: Socket, handler: MessageHandler, connections: Connections, options: CheckedOptions) {
    this.remoteAddress = socket.remoteAddress ?? ''
    this.#handler = handler
    this.#maxRequests = options.maxRequests
    this.#wire = new Wire({
      socket,
      opens: false,
      idleMs: 2 * options.idleMs,
      stallMs: options.stallMs,
      room: { take: (bytes) => connections.take(this, bytes), give: (bytes) => connections.give(bytes) },
      isBusy: () => this.#underWay > 0,
      take: (frame) => this.#take(frame),
      ended: () => connections.delete(this),
    })
  }

  get isMember(): boolean {
    return this.#isMember
  }

  /** A message that is being answered may still prove that it is a member's. */
  get isBusy(): boolean {
    return this.#underWay > 0
  }

  get held(): number {
    return this.#wire.held
  }

  end(reason: string): void {
    this.#wire.end(new Error(reason))
  }

  #take(frame: Frame): void {
    if (frame.kind !== MESSAGE) throw new Error('the peer answers what nobody asked')
    this.#underWay++
    this.#pace()
    void this.#answer(frame)
  }

  async #answer({ id, content }: Frame): Promise<void> {
    // The content belongs to the handler, which may shrink its buffer.
    const { length } = content
    const answer = await answerOf(() => this.#handler(content, this.#fromMember), MOST_BYTES)
    this.#wire.release(length)
    // Until it is written, whoever asks and does not read has no room for further answers.
    const bytes = answer && this.#wire.hold(answer.length) ? answer : undefined
    this.#wire.send(bytes ? ANSWER : NO_ANSWER, id, bytes ?? NOTHING, () => {
      if (bytes) this.#wire.release(bytes.length)
      this.#underWay--
      this.#pace()
    })
  }

  #pace(): void {
    const most = this.#isMember ? this.#maxRequests : Math.min(this.#maxRequests, MAX_STRANGER_REQUESTS)
    if (this.#underWay >= most || this.#wire.held >= PAUSE_BYTES) this.#wire.pause()
    else this.#wire.resume()
  }
}
