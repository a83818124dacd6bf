/** Key wrapping: AES-KW (RFC 3394) and AES-KWP (RFC 5649, NIST SP 800-38F). */
import { aeskw, aeskwp } from '@noble/ciphers/aes.js'

/**
 * @param key The key to wrap. Its length must be a multiple of 8 bytes, and at least 16 bytes. @returns Bytes that the caller owns. @throws
 * TypeError for another length
 */
export function wrapKey(kek: Uint8Array, key: Uint8Array): Uint8Array {
  if (key.length < 16 || key.length % 8 !== 0)
    throw new TypeError('key: AES-KW requires a length of at least 16 bytes that is a multiple of 8')
  return aeskw(kek).encrypt(key)
}

/** Returns the unwrapped key. The caller owns and wipes it. Undefined if it was not wrapped with `kek`. */
export const unwrapKey = (kek: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined =>
  attempt(() => aeskw(kek).decrypt(wrapped))

/** Like {@link wrapKey}, for keys of at least one byte. */
export function wrapKeyPadded(kek: Uint8Array, key: Uint8Array): Uint8Array {
  if (key.length === 0) throw new TypeError('key: AES-KWP requires at least one byte')
  return aeskwp(kek).encrypt(key)
}

/** Like {@link unwrapKey}, for keys that {@link wrapKeyPadded} wrapped. */
export const unwrapKeyPadded = (kek: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined =>
  attempt(() => aeskwp(kek).decrypt(wrapped))

function attempt(unwrap: () => Uint8Array): Uint8Array | undefined {
  try {
    return unwrap()
  } catch {
    return undefined
  }
}
