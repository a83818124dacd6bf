/** The server's side of a session. */
import type { Steps } from '../../../core/base/steps.ts'
import { plainHead, REQUEST_HEAD_BYTES, requestHead } from './message.ts'
import { ReplayWindow } from './replay-window.ts'
import { assertPlaintextFits } from './sealed-text.ts'
import type { AdmittedPeer } from './server-handshake.ts'

/** A decrypted request, with the means to answer it. */
export interface OpenedRequest {
  readonly peerId: string
  readonly plaintext: Uint8Array
  /**
   * @param answer Lent until the steps end.
   * @returns Undefined if the session has ended meanwhile.
   * @throws TypeError for a second answer; KernelError 413 if the answer does not fit into a message.
   */
  seal(answer: Uint8Array): Steps<Uint8Array | undefined>
}

export class ServerSession {
  readonly admitted: AdmittedPeer
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly #window = new ReplayWindow()
  #confirmed = false

  constructor(admitted: AdmittedPeer, since: number) {
    this.admitted = admitted
    this.since = since
  }

  /** Whether the peer has sent a request. A hello alone may be a replay. */
  get confirmed(): boolean {
    return this.#confirmed
  }

  /** Returns undefined, without a change, if the request was decrypted before, is too old, or was not encrypted in this session. */
  *open(counter: number, message: Uint8Array): Steps<OpenedRequest | undefined> {
    if (!this.#window.isFree(counter)) return undefined
    const { keys, peerId, sessionId } = this.admitted
    const plaintext = yield* keys.open(counter, requestHead(sessionId, counter), message.subarray(REQUEST_HEAD_BYTES))
    if (plaintext === undefined) return undefined
    // The same message may have been decrypted between two steps.
    if (!this.#window.take(counter)) {
      plaintext.fill(0)
      return undefined
    }
    this.#confirmed = true
    return { peerId, plaintext, seal: answerOnce(this.admitted, counter) }
  }

  end(): void {
    this.admitted.keys.end()
  }
}

/** A second answer would reuse the nonce. */
function answerOnce({ keys }: AdmittedPeer, counter: number): OpenedRequest['seal'] {
  let answered = false
  return function* (answer) {
    assertPlaintextFits(answer)
    if (answered) throw new TypeError('a request has only one answer')
    answered = true
    return yield* keys.seal(counter, plainHead('answer'), answer)
  }
}
