/** The server's side of a session. */
import type { Steps } from '../../../core/base/steps.ts'
import { plainHead, REQUEST_HEAD_BYTES, requestHead } from './message.ts'
import { ReplayWindow } from './replay-window.ts'
import { assertPlaintextFits } from './sealed-text.ts'
import type { AdmittedPeer } from './server-handshake.ts'

/** A decrypted request, with the method that encrypts its answer. */
export interface OpenedRequest {
  readonly peerId: string
  readonly plaintext: Uint8Array
  /**
   * @param answer Not copied: must not change until the generator has ended.
   * @returns The message to send; undefined if the session has ended.
   * @throws TypeError if the request was already answered; KernelError 413 if the answer does not fit into a message.
   */
  seal(answer: Uint8Array): Steps<Uint8Array | undefined>
}

export class ServerSession {
  readonly admitted: AdmittedPeer
  /** Milliseconds since 1970. */
  readonly since: number
  readonly #window = new ReplayWindow()
  #confirmed = false

  constructor(admitted: AdmittedPeer, since: number) {
    this.admitted = admitted
    this.since = since
  }

  /** Whether the peer has sent a request in this session. A hello alone proves nothing, because it may be a replay. */
  get confirmed(): boolean {
    return this.#confirmed
  }

  /** Decrypts a request. Returns undefined if it was decrypted before, is too old, or was not encrypted in this session. */
  *open(counter: number, message: Uint8Array): Steps<OpenedRequest | undefined> {
    if (!this.#window.isFree(counter)) return undefined
    const { keys, peerId, sessionId } = this.admitted
    const plaintext = yield* keys.open(counter, requestHead(sessionId, counter), message.subarray(REQUEST_HEAD_BYTES))
    if (plaintext === undefined) return undefined
    // While this generator was suspended, a concurrent call may have decrypted the same message.
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

/** Returns a function that encrypts an answer, but only once: a second answer would reuse the nonce. */
function answerOnce({ keys }: AdmittedPeer, counter: number): OpenedRequest['seal'] {
  let answered = false
  return function* (answer) {
    assertPlaintextFits(answer)
    if (answered) throw new TypeError('this request was already answered')
    answered = true
    return yield* keys.seal(counter, plainHead('answer'), answer)
  }
}
