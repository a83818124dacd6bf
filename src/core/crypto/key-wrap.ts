/**
 * Keys wrapped under keys: AES-KW (RFC 3394) and AES-KWP (RFC 5649, NIST SP 800-38F).
 */
import { aeskw, aeskwp } from '@noble/ciphers/aes.js'

/** `key`: a multiple of 8 bytes, 16 or more. The result belongs to the caller. @throws TypeError for another length. */
export function wrapKey(kek: Uint8Array, key: Uint8Array): Uint8Array {
  if (key.length < 16 || key.length % 8 !== 0) throw new TypeError('AES-KW wraps a multiple of 8 bytes, 16 or more')
  return aeskw(kek).encrypt(key)
}

/** The key, the caller's, who wipes it; undefined when it was not wrapped under this one, whatever the reason. */
export const unwrapKey = (kek: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined =>
  attempt(() => aeskw(kek).decrypt(wrapped))

/** {@link wrapKey} for any length from 1 byte on. */
export function wrapKeyPadded(kek: Uint8Array, key: Uint8Array): Uint8Array {
  if (key.length === 0) throw new TypeError('AES-KWP wraps at least one byte')
  return aeskwp(kek).encrypt(key)
}

/** {@link unwrapKey} for what {@link wrapKeyPadded} made. */
export const unwrapKeyPadded = (kek: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined =>
  attempt(() => aeskwp(kek).decrypt(wrapped))

function attempt(unwrap: () => Uint8Array): Uint8Array | undefined {
  try {
    return unwrap()
  } catch {
    return undefined
  }
}
