/**
 * One request and its answer between an unknown client and a server whose public key the client knows (Noise pattern NK).
 *
 * Someone who obtains the server's secret key later can decrypt the request, but not the answer, which is encrypted with ephemeral keys of
 * both sides.
 */
import { plainBytes } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { assertPlaintextFits, openFragments } from './fragments.ts'
import { newHandshake } from './handshakes.ts'
import { PUBLIC_KEY_BYTES } from './key-pair.ts'
import { isMessage, PLAIN_HEAD_BYTES, withHead } from './message.ts'
import { TAG_BYTES } from './noise/cipher-state.ts'
import { type HandshakeState, MAX_NOISE_MESSAGE_BYTES } from './noise/handshake-state.ts'
import type { ChannelParts } from './parts.ts'
import { SessionKeys } from './session-keys.ts'

/** The maximum length of a request, which is the payload of one handshake message. */
export const MAX_EXCHANGE_REQUEST_BYTES = MAX_NOISE_MESSAGE_BYTES - PUBLIC_KEY_BYTES - TAG_BYTES

/** The length of the head and the handshake message in an answer. */
const ANSWER_HANDSHAKE_BYTES = PLAIN_HEAD_BYTES + PUBLIC_KEY_BYTES + TAG_BYTES

/** The client's side of an exchange. */
export interface ActivationExchange {
  /**
   * Encrypts the request. The client may send the message any number of times.
   *
   * @param request Not copied: must not change until the generator has ended.
   * @returns Undefined if the public key is invalid: not 32 bytes long, or of low order.
   * @throws TypeError if this exchange has already encrypted a request; KernelError 413 if the request has more than 65,487 bytes.
   */
  seal(request: Uint8Array): Steps<Uint8Array | undefined>
  /**
   * Decrypts the answer to this request, once. Returns undefined for any other message and then changes nothing.
   *
   * @param answer Not copied: must not change until the generator has ended.
   */
  open(answer: Uint8Array): Steps<Uint8Array | undefined>
  /** Wipes the keys if the exchange is abandoned. Idempotent. */
  end(): void
}

/** @param context The purpose of the exchange. Both sides must pass the same string. */
export const beginExchange = (parts: ChannelParts, serverPublicKey: Uint8Array, context: string): ActivationExchange =>
  new ClientExchange(newHandshake(parts, 'exchange', context, { remoteStatic: serverPublicKey }))

class ClientExchange implements ActivationExchange {
  readonly #handshake: HandshakeState
  #stage: 'new' | 'sealing' | 'sealed' | 'over' = 'new'

  constructor(handshake: HandshakeState) {
    this.#handshake = handshake
  }

  *seal(request: Uint8Array): Steps<Uint8Array | undefined> {
    assertPlaintextFits(request, MAX_EXCHANGE_REQUEST_BYTES)
    if (this.#stage !== 'new') throw new TypeError('an exchange carries only one request')
    this.#stage = 'sealing'
    const message = yield* this.#handshake.writeMessage(request)
    if (message === undefined) this.end()
    if (message === undefined || this.#isOver()) return undefined
    this.#stage = 'sealed'
    return withHead('exchange', message)
  }

  *open(answer: Uint8Array): Steps<Uint8Array | undefined> {
    const message = plainBytes(answer)
    if (this.#stage !== 'sealed' || !isMessage(message, 'exchangeAnswer', ANSWER_HANDSHAKE_BYTES)) return undefined
    const handshake = this.#handshake.fork()
    let keys: SessionKeys | undefined
    try {
      if (!(yield* handshake.readMessage(message.subarray(PLAIN_HEAD_BYTES, ANSWER_HANDSHAKE_BYTES)))) return undefined
      keys = new SessionKeys(handshake)
      const plaintext = yield* openFragments(keys.incoming, 0, message.subarray(ANSWER_HANDSHAKE_BYTES))
      // While this generator was suspended, a concurrent call may have decrypted an answer.
      if (plaintext === undefined || this.#isOver()) {
        plaintext?.fill(0)
        return undefined
      }
      this.end()
      return plaintext
    } finally {
      handshake.wipe()
      keys?.end()
    }
  }

  end(): void {
    this.#stage = 'over'
    this.#handshake.wipe()
  }

  /**
   * A method, because the compiler would otherwise assume that the stage cannot have changed since its last check. `end` may have been called
   * while the generator was suspended.
   */
  #isOver(): boolean {
    return this.#stage === 'over'
  }
}
