/**
 * The cipher for whoever draws nonces at random and counts nothing: 192 bits of nonce do not meet, however many are drawn.
 */
import type { AeadKey, CryptoBackend } from './backend.ts'

export const RANDOM_NONCE_BYTES = 24

/** @param key 32 bytes, lent. */
export const randomNonceAead = (crypto: CryptoBackend, key: Uint8Array): AeadKey => crypto.aead('xchacha20-poly1305', key)
