/** The client's side of a session (Noise pattern IK). */
import { plainBytes, toUtf8 } from '../../../core/base/bytes.ts'
import { invalid } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { assertPlaintextFits, countFragments, openFragments, sealFragments } from './fragments.ts'
import { newHandshake } from './handshakes.ts'
import type { KeyPair } from './key-pair.ts'
import {
  isOlder,
  MAX_PEER_ID_BYTES,
  MAX_REQUEST_NONCES,
  RENEW_AFTER_NONCES,
  RENEW_AFTER_UNANSWERED_NONCES,
  RENEW_SESSION_AFTER_MS,
} from './limits.ts'
import {
  ANSWER_HEAD_BYTES,
  isMessage,
  PLAIN_HEAD_BYTES,
  REQUEST_NONCE_BYTES,
  readNonce,
  requestHead,
  withHead,
} from './message.ts'
import type { HandshakeState } from './noise/handshake-state.ts'
import type { ChannelParts } from './parts.ts'
import { SessionKeys } from './session-keys.ts'

/** The identity of a client that opens a session. */
export interface ClientIdentity {
  /** The name under which the server knows the public key, at most 256 bytes of UTF-8. */
  readonly peerId: string
  /** Not copied: must not be wiped until the session is established or has ended. */
  readonly keyPair: KeyPair
}

/** An encrypted request whose answer is pending. */
export interface SealedRequest {
  /** The message, which the client may send any number of times. The server accepts it only once. */
  readonly message: Uint8Array
  /**
   * Decrypts the answer to this request, once. Returns undefined for any other message and then changes nothing. The answer that
   * `isUnknownSession` recognizes asks the client to begin a new session. That answer is not authenticated, so anyone on the network can
   * forge it.
   *
   * @param answer Not copied: must not change until the generator has ended.
   */
  open(answer: Uint8Array): Steps<Uint8Array | undefined>
}

/**
 * Begins a session. Send its `hello`, and pass the answer to `acceptWelcome`.
 *
 * @param now Milliseconds since 1970.
 * @returns Undefined if the server's public key is invalid: not 32 bytes long, or of low order.
 * @throws KernelError 400 if the name is too long.
 */
export function* beginSession(
  parts: ChannelParts,
  { peerId, keyPair }: ClientIdentity,
  serverPublicKey: Uint8Array,
  now: number,
): Steps<ClientSession | undefined> {
  const name = toUtf8(peerId)
  if (name.length > MAX_PEER_ID_BYTES) throw invalid(`the name of a peer must have at most ${MAX_PEER_ID_BYTES} bytes`)
  const handshake = newHandshake(parts, 'session', '', { identity: keyPair, remoteStatic: serverPublicKey })
  const message = yield* handshake.writeMessage(name)
  if (message) return new ClientSession(handshake, withHead('hello', message), now)
  handshake.wipe()
  return undefined
}

interface EstablishedSession {
  readonly sessionId: Uint8Array
  readonly keys: SessionKeys
}

/** A session that {@link beginSession} created. Several requests may be pending at a time. */
export class ClientSession {
  /** The message that begins the session. The client may send it any number of times: the server gives the same answer. */
  readonly hello: Uint8Array
  readonly #handshake: HandshakeState
  readonly #since: number
  #established: EstablishedSession | undefined
  #nonce = 0
  /** The value of `#nonce` when the last answer was decrypted. */
  #answeredAt = 0
  /** Whether an answer had a nonce that is too far ahead. Then so many answers were lost that later ones cannot be decrypted either. */
  #missedEpoch = false
  #ended = false

  constructor(handshake: HandshakeState, hello: Uint8Array, now: number) {
    this.#handshake = handshake
    this.hello = hello
    this.#since = now
  }

  /** Accepts the server's answer to the hello, once. Returns false for any other message and then changes nothing. */
  *acceptWelcome(answer: Uint8Array): Steps<boolean> {
    const welcome = plainBytes(answer)
    if (this.#isSettled() || !isMessage(welcome, 'welcome', PLAIN_HEAD_BYTES)) return false
    const handshake = this.#handshake.fork()
    try {
      const sessionId = yield* handshake.readMessage(welcome.subarray(PLAIN_HEAD_BYTES))
      // While this generator was suspended, a concurrent call may have accepted the welcome.
      if (sessionId === undefined || this.#isSettled()) return false
      this.#established = { sessionId, keys: new SessionKeys(handshake) }
      this.#handshake.wipe()
      return true
    } finally {
      handshake.wipe()
    }
  }

  /**
   * Whether a new session should be begun: after an hour or 2^20 nonces, after 2^15 nonces without an answer, after more than 2^16 nonces of
   * lost answers, after the session has ended, or if the clock went back by an hour. The old session still serves pending requests, and up to
   * 2^20 more nonces.
   *
   * @param now Milliseconds since 1970.
   */
  needsRenewal(now: number): boolean {
    const isWorn = this.#nonce >= RENEW_AFTER_NONCES || this.#nonce - this.#answeredAt >= RENEW_AFTER_UNANSWERED_NONCES
    return this.#ended || isWorn || this.#missedEpoch || isOlder(this.#since, now, RENEW_SESSION_AFTER_MS)
  }

  /**
   * @param plaintext Not copied: must not change until the generator has ended.
   * @returns Undefined if there are no keys: before the welcome, after {@link end}, and after 2^21 nonces.
   * @throws KernelError 413 if the plaintext does not fit into a message.
   */
  *seal(plaintext: Uint8Array): Steps<SealedRequest | undefined> {
    assertPlaintextFits(plaintext)
    const nonce = this.#nonce
    const next = nonce + countFragments(plaintext.length)
    if (this.#established === undefined || next > MAX_REQUEST_NONCES) return undefined
    this.#nonce = next
    const { sessionId, keys } = this.#established
    const message = yield* sealFragments(keys.outgoing, nonce, requestHead(sessionId, nonce), plaintext)
    return message && { message, open: this.#answerTo(nonce, keys) }
  }

  /** Wipes the keys, so that pending requests can no longer be answered. Idempotent. */
  end(): void {
    this.#ended = true
    this.#established?.keys.end()
    this.#handshake.wipe()
  }

  #isSettled(): boolean {
    return this.#ended || this.#established !== undefined
  }

  #answerTo(requestNonce: number, { incoming }: SessionKeys): SealedRequest['open'] {
    let isOpened = false
    const settle = () => {
      isOpened = true
      this.#answeredAt = this.#nonce
    }
    const checkEpoch = (nonce: number) => {
      if (incoming.isTooFarAhead(nonce)) this.#missedEpoch = true
    }
    return function* (answer) {
      const message = plainBytes(answer)
      const nonce = isMessage(message, 'answer', ANSWER_HEAD_BYTES) ? readNonce(message, PLAIN_HEAD_BYTES) : undefined
      if (isOpened || nonce === undefined) return undefined
      checkEpoch(nonce)
      const opened = yield* openFragments(incoming, nonce, message.subarray(ANSWER_HEAD_BYTES))
      if (opened === undefined) return undefined
      // While this generator was suspended, a concurrent call may have decrypted the answer.
      if (isOpened || opened.length < REQUEST_NONCE_BYTES || readNonce(opened, 0) !== requestNonce) {
        opened.fill(0)
        return undefined
      }
      settle()
      return opened.subarray(REQUEST_NONCE_BYTES)
    }
  }
}
