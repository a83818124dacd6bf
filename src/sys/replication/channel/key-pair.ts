/**
 * A key pair of X25519 that shows its public half only.
 */
import type { Entropy } from '../../../core/base/entropy.ts'
import { wiped } from '../../../core/crypto/wiped.ts'
import { X25519_BYTES, x25519Agree, x25519PublicKey } from '../../../core/crypto/x25519.ts'

export const PUBLIC_KEY_BYTES = X25519_BYTES

export class KeyPair {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  #secretKey: Uint8Array | undefined

  /**
   * @param secretKey 32 bytes, copied.
   * @throws TypeError for another length.
   */
  constructor(secretKey: Uint8Array) {
    if (secretKey.length !== X25519_BYTES) throw new TypeError('a secret key has 32 bytes')
    this.#secretKey = Uint8Array.from(secretKey)
    this.publicKey = x25519PublicKey(this.#secretKey)
  }

  /**
   * A copy for whoever stores it, who wipes it. A method, since an inspection that shows what is hidden asks getters.
   * @throws TypeError after {@link wipe}, as does {@link agree}.
   */
  copySecretKey(): Uint8Array {
    return Uint8Array.from(this.#alive())
  }

  /** The secret shared with the owner of a public key, which the caller wipes; undefined when that is none, or of low order. */
  agree(publicKey: Uint8Array): Uint8Array | undefined {
    return x25519Agree(this.#alive(), publicKey)
  }

  /** Overwrites the secret key. Idempotent. */
  wipe(): void {
    this.#secretKey?.fill(0)
    this.#secretKey = undefined
  }

  #alive(): Uint8Array {
    if (this.#secretKey === undefined) throw wiped()
    return this.#secretKey
  }
}

export function newKeyPair(entropy: Entropy): KeyPair {
  const secretKey = entropy.bytes(X25519_BYTES)
  try {
    return new KeyPair(secretKey)
  } finally {
    secretKey.fill(0)
  }
}
