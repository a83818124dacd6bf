/** Lists of hashes in a single array. Empty children are zeros. */
import { HASH_BYTES } from './geometry.ts'

export const hashAt = (list: Uint8Array, at: number): Uint8Array => list.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)

/** Whether an item of `width` bytes is all zeros. */
export function isEmptyAt(list: Uint8Array, at: number, width: number = HASH_BYTES): boolean {
  for (let i = at * width; i < (at + 1) * width; i++) if (list[i] !== 0) return false
  return true
}

/** Compares `bytes` bytes of two lists, beginning at the given byte offsets. */
export function equalBytesAt(a: Uint8Array, atA: number, b: Uint8Array, atB: number, bytes: number = HASH_BYTES): boolean {
  for (let i = 0; i < bytes; i++) if (a[atA + i] !== b[atB + i]) return false
  return true
}

/** Compares two hashes as bytes. Returns a negative number, zero or a positive number. */
export function compareHashes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < HASH_BYTES; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return 0
}
