/** SymmetricState of the Noise Protocol Framework (revision 34, section 5.2), with SHA256 (section 12.5). */
import { EMPTY, toUtf8 } from '../../../../core/base/bytes.ts'
import type { CryptoBackend } from '../../../../core/crypto/backend.ts'
import { CipherState, TAG_BYTES } from './cipher-state.ts'

const HASH_BYTES = 32

export class SymmetricState {
  readonly #crypto: CryptoBackend
  /** `ck` in the specification. */
  #chainingKey: Uint8Array
  /** `h` in the specification. It is not secret. */
  #hash: Uint8Array
  /**
   * `k` in the specification. Empty before the first call of {@link mixKey}. No pattern of this channel encrypts anything before that call.
   */
  #key: Uint8Array = EMPTY
  #nonce = 0

  /** @param protocolName At most 32 bytes. The specification hashes longer names, which do not occur here. */
  constructor(crypto: CryptoBackend, protocolName: string) {
    this.#crypto = crypto
    this.#hash = new Uint8Array(HASH_BYTES)
    this.#hash.set(toUtf8(protocolName))
    this.#chainingKey = this.#hash.slice()
  }

  /** Takes ownership of the secret. */
  mixKey(secret: Uint8Array): void {
    const [chainingKey, key] = this.#derive(secret)
    secret.fill(0)
    this.wipe()
    this.#chainingKey = chainingKey
    this.#key = key
    this.#nonce = 0
  }

  mixHash(data: Uint8Array): void {
    const input = new Uint8Array(HASH_BYTES + data.length)
    input.set(this.#hash)
    input.set(data, HASH_BYTES)
    this.#hash = this.#crypto.hash('sha2-256').digest(input)
  }

  encryptAndHash(plaintext: Uint8Array): Uint8Array {
    const ciphertext = new Uint8Array(plaintext.length + TAG_BYTES)
    this.#withCipher((cipher) => cipher.encryptWithAd(this.#nonce++, this.#hash, plaintext, ciphertext, 0))
    this.mixHash(ciphertext)
    return ciphertext
  }

  /** Returns undefined if authentication fails. The state must not be used after that. */
  decryptAndHash(ciphertext: Uint8Array): Uint8Array | undefined {
    const plaintext = this.#withCipher((cipher) => cipher.decryptWithAd(this.#nonce++, this.#hash, ciphertext))
    if (plaintext) this.mixHash(ciphertext)
    return plaintext
  }

  /** Returns the states for messages of the initiator and of the responder. */
  split(): readonly [CipherState, CipherState] {
    const keys = this.#derive(EMPTY)
    const [initiator, responder] = keys.map((key) => new CipherState(this.#crypto, key))
    for (const key of keys) key.fill(0)
    return [initiator!, responder!]
  }

  /** Returns an independent copy. */
  fork(): SymmetricState {
    const copy = new SymmetricState(this.#crypto, '')
    copy.#chainingKey = this.#chainingKey.slice()
    copy.#hash = this.#hash
    copy.#key = this.#key.slice()
    copy.#nonce = this.#nonce
    return copy
  }

  /** Wipes the secrets. Idempotent. */
  wipe(): void {
    this.#chainingKey.fill(0)
    this.#key.fill(0)
  }

  /** HKDF with two outputs (section 4.3), which is HKDF of RFC 5869 with the chaining key as salt and an empty info. */
  #derive(secret: Uint8Array): readonly [Uint8Array, Uint8Array] {
    const bytes = this.#crypto.hkdf('sha2-256', secret, this.#chainingKey, EMPTY, 2 * HASH_BYTES)
    const keys = [bytes.slice(0, HASH_BYTES), bytes.slice(HASH_BYTES)] as const
    bytes.fill(0)
    return keys
  }

  #withCipher<T>(use: (cipher: CipherState) => T): T {
    const cipher = new CipherState(this.#crypto, this.#key)
    try {
      return use(cipher)
    } finally {
      cipher.wipe()
    }
  }
}
