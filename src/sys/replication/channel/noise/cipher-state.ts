/** CipherState of the Noise Protocol Framework (revision 34, section 5.1), with ChaChaPoly (section 12.3) and explicit nonces (section 11.4). */
import { EMPTY } from '../../../../core/base/bytes.ts'
import type { AeadKey, CryptoBackend } from '../../../../core/crypto/backend.ts'
import { counterNonceAead } from '../../../../core/crypto/counter-nonce.ts'

export const TAG_BYTES = 16

const KEY_BYTES = 32

const REQUEST_NONCE_BYTES = 12

/** The nonce that only Rekey uses: 4 zero bytes, then 2^64 - 1. */
const REKEY_NONCE = /* @__PURE__ */ new Uint8Array(REQUEST_NONCE_BYTES).fill(255, 4)

export class CipherState {
  readonly #crypto: CryptoBackend
  readonly #key: AeadKey

  /** @param key 32 bytes, which are neither kept nor changed. */
  constructor(crypto: CryptoBackend, key: Uint8Array) {
    this.#crypto = crypto
    this.#key = counterNonceAead(crypto, key)
  }

  /**
   * Writes the ciphertext and its tag to `out`, beginning at the offset `at`. The caller must use each nonce only once.
   *
   * @throws RangeError if the nonces are exhausted.
   */
  encryptWithAd(nonce: number, ad: Uint8Array, plaintext: Uint8Array, out: Uint8Array, at: number): void {
    this.#key.seal(nonceBytes(nonce), plaintext, ad, out, at)
  }

  /** Returns undefined if authentication fails. @throws RangeError if the nonces are exhausted. */
  decryptWithAd(nonce: number, ad: Uint8Array, ciphertext: Uint8Array): Uint8Array | undefined {
    return this.#key.open(nonceBytes(nonce), ciphertext, ad)
  }

  /** Returns a state with the key that Rekey derives (section 4.2). This state is unchanged. */
  rekeyed(): CipherState {
    const bytes = new Uint8Array(KEY_BYTES + TAG_BYTES)
    this.#key.seal(REKEY_NONCE, new Uint8Array(KEY_BYTES), EMPTY, bytes, 0)
    const next = new CipherState(this.#crypto, bytes.subarray(0, KEY_BYTES))
    bytes.fill(0)
    return next
  }

  /** Wipes the key. Idempotent. */
  wipe(): void {
    this.#key.wipe()
  }
}

/** 4 zero bytes, then the nonce in 8 bytes, little-endian. The specification allows nonces up to 2^64 - 2; numbers above 2^53 are not exact. */
function nonceBytes(nonce: number): Uint8Array {
  if (!Number.isSafeInteger(nonce) || nonce < 0) throw new RangeError('the nonces of this key are exhausted')
  const bytes = new Uint8Array(REQUEST_NONCE_BYTES)
  for (let at = 4, rest = nonce; rest > 0; at++) {
    bytes[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return bytes
}
