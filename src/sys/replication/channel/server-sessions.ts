/**
 * All sessions of one server key pair. They are kept in memory only: after a restart the server answers `unknown session`, and its peers
 * begin new sessions.
 */
import { plainBytes } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { KeyPair } from './key-pair.ts'
import { isMessage, REQUEST_HEAD_BYTES, sessionIdIn } from './message.ts'
import type { ChannelParts } from './parts.ts'
import { admitPeer, hasKey, isHello, type PeerKeyLookup } from './server-handshake.ts'
import { type OpenedRequest, ServerSession } from './server-session.ts'
import { SessionTable } from './session-table.ts'

export class ServerSessions {
  readonly #parts: ChannelParts
  readonly #keyPair: KeyPair
  readonly #table = new SessionTable()
  #ended = false

  /** @param keyPair Not copied: must not be wiped before {@link end} is called. */
  constructor(parts: ChannelParts, keyPair: KeyPair) {
    this.#parts = parts
    this.#keyPair = keyPair
  }

  /** The number of sessions. */
  get size(): number {
    return this.#table.size
  }

  /**
   * Returns the answer to a hello, the welcome. A repeated hello gets the same welcome and creates no second session. Returns undefined if `keyOf`
   * returns no key for the sender.
   *
   * An unknown sender costs up to two key agreements, about a millisecond each, so the caller limits how many hellos of unknown senders are processed
   * concurrently.
   *
   * @param now Milliseconds since 1970.
   */
  *answerHello(message: Uint8Array, keyOf: PeerKeyLookup, now: number): Steps<Uint8Array | undefined> {
    if (this.#ended || !isHello(message)) return undefined
    const hello = Uint8Array.from(message)
    this.#table.expire(now)
    const before = this.#welcomeFor(hello, keyOf)
    if (before) return before
    const admitted = yield* admitPeer(this.#parts, this.#keyPair, hello, keyOf)
    if (admitted === undefined) return undefined
    // While this generator was suspended, the peer may have been revoked, the sessions ended, or the same hello answered.
    const known = !this.#ended && hasKey(admitted, keyOf)
    const meanwhile = known ? this.#welcomeFor(hello, keyOf) : undefined
    if (!known || meanwhile) {
      admitted.keys.end()
      return meanwhile
    }
    this.#table.add(new ServerSession(admitted, now), hello)
    return admitted.welcome.slice()
  }

  /**
   * Decrypts a request, once. Returns undefined, without a change, if the message is not a request, was modified or repeated, or is more
   * than 16,383 nonces late. If the result is `unknown session`, answer with `unknownSession()`.
   *
   * @param bytes The message. It is not copied, and must not change until the generator has ended.
   * @param now Milliseconds since 1970.
   */
  *open(bytes: Uint8Array, now: number): Steps<OpenedRequest | 'unknown session' | undefined> {
    const message = plainBytes(bytes)
    if (!isMessage(message, 'request', REQUEST_HEAD_BYTES)) return undefined
    const session = this.#table.withId(sessionIdIn(message), now)
    return session ? yield* session.open(message) : 'unknown session'
  }

  /**
   * Ends all sessions of a peer. Pending requests can no longer be decrypted or answered. To revoke a peer, first make `keyOf` return
   * undefined for the peer.
   */
  drop(peerId: string): void {
    this.#table.drop(peerId)
  }

  /** Wipes the keys of sessions that are too old. Processing the next hello has the same effect. */
  expire(now: number): void {
    this.#table.expire(now)
  }

  /** Ends all sessions and accepts no new ones. Idempotent. */
  end(): void {
    this.#ended = true
    this.#table.clear()
  }

  #welcomeFor(hello: Uint8Array, keyOf: PeerKeyLookup): Uint8Array | undefined {
    const session = this.#table.madeFor(hello)
    return session && hasKey(session.admitted, keyOf) ? session.admitted.welcome.slice() : undefined
  }
}
