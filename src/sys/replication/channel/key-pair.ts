/** An X25519 key pair that exposes only its public half. */
import { type CryptoBackend, X25519_BYTES, type X25519Key } from '../../../core/crypto/backend.ts'
import { keyWipedError } from '../../../core/crypto/key-wiped-error.ts'
import type { ChannelParts } from './parts.ts'

export const PUBLIC_KEY_BYTES = X25519_BYTES

export class KeyPair {
  /** The public key, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly #key: X25519Key
  #secretKey: Uint8Array | undefined

  /**
   * @param secretKey 32 bytes, copied.
   * @throws TypeError if the key has another length.
   */
  constructor(crypto: CryptoBackend, secretKey: Uint8Array) {
    this.#key = crypto.x25519(secretKey)
    this.publicKey = this.#key.publicKey
    this.#secretKey = Uint8Array.from(secretKey)
  }

  get isWiped(): boolean {
    return this.#secretKey === undefined
  }

  /**
   * Returns a copy of the secret key for storage. The caller wipes the copy. This is a method and not a getter, because debuggers and loggers
   * call getters.
   *
   * @throws TypeError after {@link wipe}, as {@link agree} does.
   */
  copySecretKey(): Uint8Array {
    if (this.#secretKey === undefined) throw keyWipedError()
    return Uint8Array.from(this.#secretKey)
  }

  /**
   * Returns the secret shared with the owner of a public key; undefined if the public key is invalid or of low order. The caller wipes the
   * secret.
   */
  agree(publicKey: Uint8Array): Uint8Array | undefined {
    return this.#key.agree(publicKey)
  }

  /** Overwrites the secret key. Idempotent. */
  wipe(): void {
    this.#key.wipe()
    this.#secretKey?.fill(0)
    this.#secretKey = undefined
  }
}

export function newKeyPair({ crypto, entropy }: ChannelParts): KeyPair {
  const secretKey = entropy.bytes(X25519_BYTES)
  try {
    return new KeyPair(crypto, secretKey)
  } finally {
    secretKey.fill(0)
  }
}
