/**
 * The cipher for whoever draws a fresh key for every conversation and numbers its messages: 96 bits of nonce hold the number.
 */
import type { AeadKey, CryptoBackend } from './backend.ts'

/** @param key 32 bytes, lent. */
export const counterNonceAead = (crypto: CryptoBackend, key: Uint8Array): AeadKey => crypto.aead('chacha20-poly1305', key)
