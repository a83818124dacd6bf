/** The cipher for channels with a fresh key and numbered messages: a nonce of 96 bits contains the message number. */
import type { AeadKey, CryptoBackend } from './backend.ts'

/** @param key 32 bytes, lent. */
export const counterNonceAead = (crypto: CryptoBackend, key: Uint8Array): AeadKey => crypto.aead('chacha20-poly1305', key)
