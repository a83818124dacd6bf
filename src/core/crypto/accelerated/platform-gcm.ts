/**
 * AES-GCM that uses noble for short messages and the platform's synchronous cipher for all others. Their results are equal.
 *
 * A call of `node:crypto` takes at least 3 us. noble takes 1 us for 32 bytes and 2 us more for each 100 bytes, and 2 us for the first use
 * of a key. A cipher is created when it is first needed, because most keys encrypt either short messages or long ones.
 */
import type { Steps } from '../../base/steps.ts'
import type { AeadKey } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { AesGcmKey } from '../noble/aes-gcm.ts'
import { GCM_NONCE_BYTES } from '../noble/gcm-message.ts'

/** For at most this many bytes of message and additional data, noble is faster. */
const MAX_NOBLE_BYTES = 128

export class PlatformGcmKey implements AeadKey {
  readonly nonceBytes = GCM_NONCE_BYTES
  readonly shortBytes: number
  readonly #cipherOf: (key: Uint8Array) => AeadKey
  /** The bytes of the caller. Undefined after {@link wipe}. */
  #raw: Uint8Array | undefined
  #cipher: AeadKey | undefined
  #noble: AesGcmKey | undefined

  /**
   * @param key 16 or 32 bytes. They are not copied: the caller keeps them unchanged until it has called {@link wipe}, and then wipes them.
   * @param shortBytes See {@link AeadKey.shortBytes}.
   * @throws TypeError if the key has another length
   */
  constructor(key: Uint8Array, cipherOf: (key: Uint8Array) => AeadKey, shortBytes: number) {
    if (key.length !== 16 && key.length !== 32) throw new TypeError('an aes-gcm key must have 16 or 32 bytes')
    this.shortBytes = shortBytes
    this.#cipherOf = cipherOf
    this.#raw = key
  }

  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void {
    this.#fastest(plaintext.length + aad.length).seal(nonce, plaintext, aad, out, at)
  }

  sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void> {
    return this.#long().sealSteps(nonce, plaintext, aad, out, at)
  }

  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array, from = 0): Uint8Array | undefined {
    return this.#fastest(sealed.length - from + aad.length).open(nonce, sealed, aad, from)
  }

  openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> {
    return this.#long().openSteps(nonce, sealed, aad)
  }

  wipe(): void {
    this.#cipher?.wipe()
    this.#noble?.wipe()
    this.#raw = undefined
  }

  #fastest(bytes: number): AeadKey {
    if (bytes > MAX_NOBLE_BYTES) return this.#long()
    if (this.#noble) return this.#noble
    this.#noble = new AesGcmKey(this.#bytes())
    return this.#noble
  }

  #long(): AeadKey {
    if (this.#cipher) return this.#cipher
    this.#cipher = this.#cipherOf(this.#bytes())
    return this.#cipher
  }

  #bytes(): Uint8Array {
    if (this.#raw === undefined) throw keyWipedError()
    return this.#raw
  }
}
