/**
 * HChaCha20, for the node adapter: OpenSSL has ChaCha20-Poly1305 but not the X form. Source: draft-irtf-cfrg-xchacha-03 section 2.2.
 */
import { hchacha } from '@noble/ciphers/chacha.js'

/** "expand 32-byte k" */
const SIGMA = /* @__PURE__ */ Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574)

/** The key of one message: from 32 bytes of key and the first 16 of the 24 of the nonce. The result is the caller's to wipe. */
export function xchachaSubkey(key: Uint8Array, nonce: Uint8Array): Uint8Array {
  const input = new Uint32Array(12)
  const bytes = new Uint8Array(input.buffer)
  bytes.set(key)
  bytes.set(nonce.subarray(0, 16), 32)
  const subkey = new Uint32Array(8)
  hchacha(SIGMA, input.subarray(0, 8), input.subarray(8), subkey)
  bytes.fill(0)
  return new Uint8Array(subkey.buffer)
}
