/** The server's side of a session. */
import type { Steps } from '../../../core/base/steps.ts'
import { assertPlaintextFits, countFragments, countSealedFragments, openFragments, sealFragments } from './fragments.ts'
import { MAX_REQUEST_NONCES } from './limits.ts'
import {
  answerHead,
  nonceField,
  PLAIN_HEAD_BYTES,
  REQUEST_HEAD_BYTES,
  REQUEST_NONCE_BYTES,
  readNonce,
  SESSION_ID_BYTES,
} from './message.ts'
import { ReplayWindow } from './replay-window.ts'
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
  /** The next nonce for an answer. */
  #nonce = 0
  #confirmed = false

  constructor(admitted: AdmittedPeer, since: number) {
    this.admitted = admitted
    this.since = since
  }

  /** Whether the peer has sent a request in this session. A hello alone proves nothing, because it may be a replay. */
  get confirmed(): boolean {
    return this.#confirmed
  }

  /**
   * Decrypts a request. Returns undefined if it was decrypted before, is too old, or was not encrypted in this session.
   *
   * @param message A message of the kind `request`.
   */
  *open(message: Uint8Array): Steps<OpenedRequest | undefined> {
    const sealed = message.subarray(REQUEST_HEAD_BYTES)
    const nonce = readNonce(message, PLAIN_HEAD_BYTES + SESSION_ID_BYTES, MAX_REQUEST_NONCES)
    const count = countSealedFragments(sealed.length)
    if (nonce === undefined || !this.#window.areFree(nonce, count)) return undefined
    const { keys, peerId } = this.admitted
    const plaintext = yield* openFragments(keys.incoming, nonce, sealed)
    if (plaintext === undefined) return undefined
    // While this generator was suspended, a concurrent call may have decrypted the same message.
    if (!this.#window.take(nonce, count)) {
      plaintext.fill(0)
      return undefined
    }
    this.#confirmed = true
    return { peerId, plaintext, seal: this.#answerOnce(nonce) }
  }

  end(): void {
    this.admitted.keys.end()
  }

  /** Returns a function that encrypts the answer to a request. Only one answer is possible, as the client accepts only one. */
  #answerOnce(requestNonce: number): OpenedRequest['seal'] {
    const { keys } = this.admitted
    const takeNonces = (count: number) => {
      this.#nonce += count
      return this.#nonce - count
    }
    let isAnswered = false
    return function* (answer) {
      assertPlaintextFits(answer)
      if (isAnswered) throw new TypeError('this request was already answered')
      isAnswered = true
      const nonce = takeNonces(countFragments(REQUEST_NONCE_BYTES + answer.length))
      return yield* sealFragments(keys.outgoing, nonce, answerHead(nonce), answer, nonceField(requestNonce))
    }
  }
}
