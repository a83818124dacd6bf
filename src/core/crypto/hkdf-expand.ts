/** The second stage of HKDF with SHA-256. Source: RFC 5869 section 2.3. */
import type { MacKey } from './backend.ts'

const HASH_BYTES = 32

/**
 * Returns the first `length` bytes of the output, at most 8,160. The caller owns them.
 * @param prk HMAC-SHA256 with the pseudorandom key, the result of the first stage. Using it for many outputs saves the first stage.
 */
export function hkdfExpand(prk: MacKey, info: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length)
  const input = new Uint8Array(HASH_BYTES + info.length + 1)
  input.set(info, HASH_BYTES)
  for (let at = 0, counter = 1; at < length; at += HASH_BYTES, counter++) {
    input[input.length - 1] = counter
    // The first block has no block before it.
    const block = prk.mac(counter === 1 ? input.subarray(HASH_BYTES) : input)
    out.set(block.subarray(0, length - at), at)
    input.set(block)
    block.fill(0)
  }
  input.fill(0)
  return out
}
