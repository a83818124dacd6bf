/**
 * Wraps 32 bytes with a key of 16 to 32 bytes: `nonce | AES-GCM ciphertext | tag`.
 */
import { toUtf8 } from '../base/bytes.ts'
import type { Entropy } from '../base/entropy.ts'
import type { AeadKey, CryptoBackend } from '../crypto/backend.ts'

const AAD = /* @__PURE__ */ toUtf8('strongroom seal v1')
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function wrapWith(key: AeadKey, bytes: Uint8Array, entropy: Entropy): Uint8Array {
  const out = new Uint8Array(NONCE_BYTES + bytes.length + TAG_BYTES)
  const nonce = entropy.bytes(NONCE_BYTES)
  out.set(nonce)
  key.seal(nonce, bytes, AAD, out, NONCE_BYTES)
  return out
}

/** Returns undefined if the authentication tag is wrong. */
export const unwrapWith = (key: AeadKey, wrapped: Uint8Array): Uint8Array | undefined =>
  wrapped.length < NONCE_BYTES + TAG_BYTES
    ? undefined
    : key.open(wrapped.subarray(0, NONCE_BYTES), wrapped.subarray(NONCE_BYTES), AAD)

/**
 * Calls `use` with the share key as an AES key. The key that a caller's shares produce can have any length, but an AES key has 16, 24 or 32
 * bytes. For any other length, returns undefined without calling `use`.
 */
function withShareKey<T>(crypto: CryptoBackend, shareKey: Uint8Array, use: (key: AeadKey) => T): T | undefined {
  if (shareKey.length !== 16 && shareKey.length !== 24 && shareKey.length !== 32) return undefined
  const key = crypto.aead('aes-gcm', shareKey)
  try {
    return use(key)
  } finally {
    key.wipe()
  }
}

export const wrapByShares = (crypto: CryptoBackend, shareKey: Uint8Array, bytes: Uint8Array, entropy: Entropy): Uint8Array =>
  withShareKey(crypto, shareKey, (key) => wrapWith(key, bytes, entropy)) as Uint8Array

/** Undefined if `shareKey` is not the key with which the bytes were wrapped. */
export const unwrapByShares = (crypto: CryptoBackend, shareKey: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined =>
  withShareKey(crypto, shareKey, (key) => unwrapWith(key, wrapped))
