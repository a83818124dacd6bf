/** The cipher for channels. Each channel has a new key, and its messages are numbered: the 96-bit nonce contains the message number. */
import type { AeadKey, CryptoBackend } from './backend.ts'

/** @param key 32 bytes, which are neither kept nor changed. */
export const counterNonceAead = (crypto: CryptoBackend, key: Uint8Array): AeadKey => crypto.aead('chacha20-poly1305', key)
