/** The cipher for random nonces without a counter: with 192 bits, nonces do not collide, no matter how many are used. */
import type { AeadKey, CryptoBackend } from './backend.ts'

export const RANDOM_NONCE_BYTES = 24

/** @param key 32 bytes, lent. */
export const randomNonceAead = (crypto: CryptoBackend, key: Uint8Array): AeadKey => crypto.aead('xchacha20-poly1305', key)
