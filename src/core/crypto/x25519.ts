/** X25519 (RFC 7748) with the noble library. */
import { x25519 } from '@noble/curves/ed25519.js'

export const x25519PublicKey = (secretKey: Uint8Array): Uint8Array => x25519.getPublicKey(secretKey)

/**
 * Returns the shared secret, which the caller wipes. Undefined for a public key of low order, because the shared secret with such a key is
 * the same for all secret keys.
 */
export function x25519Agree(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  try {
    return x25519.getSharedSecret(secretKey, publicKey)
  } catch {
    return undefined
  }
}
