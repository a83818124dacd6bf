/**
 * The key derivation of transit keys with kdf 0 (`hmac-sha256-counter`): NIST SP 800-108 in counter mode, as Vault implements it. The
 * counter starts at 0, and the input contains no label and no zero byte.
 */
import type { MacKey } from './backend.ts'

const BITS = 256

/**
 * Returns HMAC-SHA256(key, block || context || 256), with `block` and 256 as big-endian uint32. The result has 32 bytes, which the caller
 * owns.
 * @param mac HMAC-SHA256 with the key.
 * @param block The counter. Vault uses only 0.
 */
export function counterKdf(mac: MacKey, context: Uint8Array, block = 0): Uint8Array {
  const input = new Uint8Array(4 + context.length + 4)
  const view = new DataView(input.buffer)
  view.setUint32(0, block)
  input.set(context, 4)
  view.setUint32(4 + context.length, BITS)
  return mac.mac(input)
}
