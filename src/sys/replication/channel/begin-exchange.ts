/**
 * One request and its answer between an unknown client and a server whose public key the client knows.
 *
 * Someone who obtains the server's secret key later can decrypt the request, but not the answer, which is sealed with ephemeral keys of
 * both sides.
 */
import { plainBytes } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { exchangeSchedule, tagOf } from './exchange-schedule.ts'
import { type KeyPair, newKeyPair } from './key-pair.ts'
import type { KeySchedule } from './key-schedule.ts'
import { isMessage, KEY_HEAD_BYTES, keyHead, keyIn } from './message.ts'
import type { ChannelParts } from './parts.ts'
import { assertPlaintextFits, openOnce, sealOnce } from './sealed-text.ts'

/** The client's side of an exchange. */
export interface ActivationExchange {
  /**
   * Encrypts the request. The client may send the message any number of times.
   *
   * @param request Not copied: must not change until the generator has ended.
   * @returns Undefined if the public key is invalid: not 32 bytes long, or of low order.
   * @throws TypeError if this exchange has already encrypted a request; KernelError 413 if the request does not fit into a message.
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
  new ClientExchange(newKeyPair(parts), serverPublicKey, exchangeSchedule(parts, serverPublicKey, context))

class ClientExchange implements ActivationExchange {
  readonly #ephemeral: KeyPair
  readonly #serverPublicKey: Uint8Array
  readonly #schedule: KeySchedule
  #stage: 'new' | 'sealing' | 'sealed' | 'over' = 'new'

  constructor(ephemeral: KeyPair, serverPublicKey: Uint8Array, schedule: KeySchedule) {
    this.#ephemeral = ephemeral
    this.#serverPublicKey = Uint8Array.from(serverPublicKey)
    this.#schedule = schedule
  }

  *seal(request: Uint8Array): Steps<Uint8Array | undefined> {
    assertPlaintextFits(request)
    if (this.#stage !== 'new') throw new TypeError('an exchange carries only one request')
    this.#stage = 'sealing'
    const head = keyHead('exchange', this.#ephemeral.publicKey)
    this.#schedule.bind(head)
    if (!this.#schedule.mix(this.#ephemeral.agree(this.#serverPublicKey))) {
      this.end()
      return undefined
    }
    const message = yield* sealOnce(this.#schedule.key('exchange request'), head, request)
    if (this.#isOver()) return undefined
    this.#schedule.bind(tagOf(message))
    this.#stage = 'sealed'
    return message
  }

  *open(answer: Uint8Array): Steps<Uint8Array | undefined> {
    const message = plainBytes(answer)
    if (this.#stage !== 'sealed' || !isMessage(message, 'exchangeAnswer', KEY_HEAD_BYTES)) return undefined
    const head = message.slice(0, KEY_HEAD_BYTES)
    const schedule = this.#schedule.fork()
    schedule.bind(head)
    const key = schedule.mix(this.#ephemeral.agree(keyIn(head))) ? schedule.key('exchange answer') : undefined
    schedule.wipe()
    const plaintext = key && (yield* openOnce(key, head, message.subarray(KEY_HEAD_BYTES)))
    // While this generator was suspended, a concurrent call may have decrypted an answer.
    if (plaintext === undefined || this.#isOver()) return undefined
    this.end()
    return plaintext
  }

  end(): void {
    this.#stage = 'over'
    this.#ephemeral.wipe()
    this.#schedule.wipe()
  }

  /**
   * A method, because the compiler would otherwise assume that the stage cannot have changed since its last check. `end` may have been called
   * while the generator was suspended.
   */
  #isOver(): boolean {
    return this.#stage === 'over'
  }
}
