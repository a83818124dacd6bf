/**
 * One direction of a channel after its handshake.
 *
 * Both parties derive a new key by Rekey after every 65,536 nonces. In this file, an epoch is the range of nonces that have the same key, so
 * the nonce of a message determines its key. The previous key is kept, because messages may arrive late. A nonce that is more than one epoch
 * ahead is refused: otherwise a forged nonce would cost the receiver any number of derivations.
 */
import { EMPTY } from '../../../core/base/bytes.ts'
import type { CipherState } from './noise/cipher-state.ts'

export const NONCES_PER_EPOCH = 65_536

export class TransportCipher {
  #epoch = 0
  #current: CipherState | undefined
  #previous: CipherState | undefined

  /** Takes ownership of the state. */
  constructor(first: CipherState) {
    this.#current = first
  }

  get ended(): boolean {
    return this.#current === undefined
  }

  /** Whether a nonce is more than one epoch ahead. */
  isTooFarAhead(nonce: number): boolean {
    return this.#epochsAhead(nonce) > 1
  }

  /** Returns false, without a result, after {@link end}, or if the nonce is more than one epoch away from the current epoch. */
  encrypt(nonce: number, plaintext: Uint8Array, out: Uint8Array, at: number): boolean {
    const cipher = this.#cipherFor(nonce)
    cipher?.encryptWithAd(nonce, EMPTY, plaintext, out, at)
    if (cipher) this.#adopt(cipher)
    return cipher !== undefined
  }

  /** Returns undefined, without a change, if authentication fails, and in the cases in which {@link encrypt} returns false. */
  decrypt(nonce: number, ciphertext: Uint8Array): Uint8Array | undefined {
    const cipher = this.#cipherFor(nonce)
    const plaintext = cipher?.decryptWithAd(nonce, EMPTY, ciphertext)
    if (cipher && plaintext) this.#adopt(cipher)
    else if (cipher && !this.#isKept(cipher)) cipher.wipe()
    return plaintext
  }

  /** Wipes the keys. Idempotent. */
  end(): void {
    this.#current?.wipe()
    this.#previous?.wipe()
    this.#current = undefined
    this.#previous = undefined
  }

  #cipherFor(nonce: number): CipherState | undefined {
    const ahead = this.#epochsAhead(nonce)
    if (ahead === 0) return this.#current
    if (ahead === -1) return this.#previous
    return ahead === 1 ? this.#current?.rekeyed() : undefined
  }

  #epochsAhead(nonce: number): number {
    return Math.floor(nonce / NONCES_PER_EPOCH) - this.#epoch
  }

  #isKept(cipher: CipherState): boolean {
    return cipher === this.#current || cipher === this.#previous
  }

  /** Begins the next epoch if `cipher` has the key of that epoch. */
  #adopt(cipher: CipherState): void {
    if (this.#isKept(cipher)) return
    this.#previous?.wipe()
    this.#previous = this.#current
    this.#current = cipher
    this.#epoch++
  }
}
