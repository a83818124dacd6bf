/**
 * AES-GCM that uses the platform's synchronous cipher, and noble for the short messages of a key that is used often. Their results are
 * equal.
 *
 * A call of `node:crypto` takes about 5 us, and noble 3 us for 32 bytes and 25 us more per KiB. The first use of a key costs noble 40 us or
 * more, because it expands the key and computes a table, so a key that is used only a few times, as most derived keys are, never uses noble.
 */
import type { Steps } from '../../base/steps.ts'
import type { AeadKey } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { AesGcmKey } from '../noble/aes-gcm.ts'

/** For at most this many bytes of message and additional data, noble is faster. */
const MAX_NOBLE_BYTES = 128

/** A key uses noble after this many short messages. By then, the time that noble would have saved equals the time of its first use. */
const USES_BEFORE_NOBLE = 16

export class PlatformGcmKey implements AeadKey {
  readonly nonceBytes: number
  readonly shortBytes: number
  readonly #cipher: AeadKey
  /** The bytes of the caller. Undefined after {@link wipe}. */
  #raw: Uint8Array | undefined
  #noble: AesGcmKey | undefined
  #shortUses = 0

  /**
   * @param key 16 or 32 bytes. They are not copied: the caller keeps them unchanged until it has called {@link wipe}, and then wipes them.
   * @throws TypeError if the key has another length
   */
  constructor(key: Uint8Array, cipherOf: (key: Uint8Array) => AeadKey) {
    this.#cipher = cipherOf(key)
    this.nonceBytes = this.#cipher.nonceBytes
    this.shortBytes = this.#cipher.shortBytes
    this.#raw = key
  }

  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void {
    this.#fastest(plaintext.length + aad.length).seal(nonce, plaintext, aad, out, at)
  }

  sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void> {
    return this.#cipher.sealSteps(nonce, plaintext, aad, out, at)
  }

  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array, from = 0): Uint8Array | undefined {
    return this.#fastest(sealed.length - from + aad.length).open(nonce, sealed, aad, from)
  }

  openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> {
    return this.#cipher.openSteps(nonce, sealed, aad)
  }

  wipe(): void {
    this.#cipher.wipe()
    this.#noble?.wipe()
    this.#raw = undefined
  }

  #fastest(bytes: number): AeadKey {
    if (bytes > MAX_NOBLE_BYTES) return this.#cipher
    if (this.#noble) return this.#noble
    if (++this.#shortUses <= USES_BEFORE_NOBLE) return this.#cipher
    if (this.#raw === undefined) throw keyWipedError()
    this.#noble = new AesGcmKey(this.#raw)
    return this.#noble
  }
}
