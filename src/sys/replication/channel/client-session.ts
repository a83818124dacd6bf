/** The client's side of a session. */
import { plainBytes } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import {
  type ClientIdentity,
  type EstablishedSession,
  makeHello,
  readWelcome,
  type SentHello,
  wipeHello,
} from './client-handshake.ts'
import { isOlder, MAX_SESSION_REQUESTS, RENEW_AFTER_REQUESTS, RENEW_SESSION_AFTER_MS } from './limits.ts'
import { isMessage, plainHead, requestHead } from './message.ts'
import type { ChannelParts } from './parts.ts'
import { assertPlaintextFits } from './sealed-text.ts'

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
  self: ClientIdentity,
  serverPublicKey: Uint8Array,
  now: number,
): Steps<ClientSession | undefined> {
  const sentHello = yield* makeHello(parts, self, Uint8Array.from(serverPublicKey))
  return sentHello && new ClientSession(sentHello, self, now)
}

/** A session that {@link beginSession} created. Several requests may be pending at a time. */
export class ClientSession {
  /** The message that begins the session. The client may send it any number of times: the server gives the same answer. */
  readonly hello: Uint8Array
  readonly #greeting: SentHello
  readonly #self: ClientIdentity
  readonly #since: number
  #welcomed: EstablishedSession | undefined
  #counter = 0
  #ended = false

  constructor(sentHello: SentHello, self: ClientIdentity, now: number) {
    this.hello = sentHello.hello
    this.#greeting = sentHello
    this.#self = self
    this.#since = now
  }

  /** Accepts the server's answer to the hello, once. Returns false for any other message and then changes nothing. */
  *acceptWelcome(answer: Uint8Array): Steps<boolean> {
    if (this.#isSettled()) return false
    const established = yield* readWelcome(this.#greeting, this.#self.keyPair, plainBytes(answer))
    if (established === undefined) return false
    if (this.#isSettled()) {
      established.keys.end()
      return false
    }
    this.#welcomed = established
    wipeHello(this.#greeting)
    return true
  }

  /**
   * Whether a new session should be begun: after an hour or 2^20 requests, after the session has ended, or if the clock went back by an
   * hour. The old session still serves pending requests, and up to 2^20 more.
   *
   * @param now Milliseconds since 1970.
   */
  needsRenewal(now: number): boolean {
    return this.#ended || this.#counter >= RENEW_AFTER_REQUESTS || isOlder(this.#since, now, RENEW_SESSION_AFTER_MS)
  }

  /**
   * @param plaintext Not copied: must not change until the generator has ended.
   * @returns Undefined if there are no keys: before the welcome, after {@link end}, and after 2^21 requests.
   * @throws KernelError 413 if the plaintext does not fit into a message.
   */
  *seal(plaintext: Uint8Array): Steps<SealedRequest | undefined> {
    assertPlaintextFits(plaintext)
    if (this.#welcomed === undefined || this.#counter >= MAX_SESSION_REQUESTS) return undefined
    const { sessionId, keys } = this.#welcomed
    const counter = this.#counter++
    const message = yield* keys.seal(counter, requestHead(sessionId, counter), plaintext)
    return message && { message, open: answerTo(this.#welcomed, counter) }
  }

  /** Wipes the keys, so that pending requests can no longer be answered. Idempotent. */
  end(): void {
    this.#ended = true
    this.#welcomed?.keys.end()
    wipeHello(this.#greeting)
  }

  #isSettled(): boolean {
    return this.#ended || this.#welcomed !== undefined
  }
}

function answerTo({ keys }: EstablishedSession, counter: number): SealedRequest['open'] {
  const head = plainHead('answer')
  let opened = false
  return function* (answer) {
    const message = plainBytes(answer)
    if (opened || !isMessage(message, 'answer', head.length)) return undefined
    const plaintext = yield* keys.open(counter, head, message.subarray(head.length))
    // While this generator was suspended, a concurrent call may have decrypted an answer.
    if (plaintext === undefined || opened) return undefined
    opened = true
    return plaintext
  }
}
