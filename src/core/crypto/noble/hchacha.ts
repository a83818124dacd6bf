/**
 * HChaCha20. The node backend needs it, because OpenSSL has ChaCha20-Poly1305 but not XChaCha20-Poly1305. Source:
 * draft-irtf-cfrg-xchacha-03 section 2.2.
 */
import { hchacha } from '@noble/ciphers/chacha.js'

/** The constant "expand 32-byte k" as words. */
const SIGMA = /* @__PURE__ */ Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574)

/** Derives the key of a message from the 32-byte key and the first 16 bytes of the 24-byte nonce. The caller wipes the result. */
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
