/**
 * The cipher for messages with random nonces. A nonce has 192 bits, so collisions are practically impossible, and the number of messages
 * need not be counted.
 */
import type { AeadKey, CryptoBackend } from './backend.ts'

export const RANDOM_NONCE_BYTES = 24

/** @param key 32 bytes, which are neither kept nor changed. */
export const randomNonceAead = (crypto: CryptoBackend, key: Uint8Array): AeadKey => crypto.aead('xchacha20-poly1305', key)
