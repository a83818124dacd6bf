/** Functions for lists of hashes that are stored in a single byte array. The hash of an empty child consists of zeros. */
import { HASH_BYTES } from './geometry.ts'

export const hashAt = (list: Uint8Array, at: number): Uint8Array => list.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)

/** Whether the item at position `at` in a list of items of `width` bytes is all zeros. */
export function isEmptyAt(list: Uint8Array, at: number, width: number = HASH_BYTES): boolean {
  for (let i = at * width; i < (at + 1) * width; i++) if (list[i] !== 0) return false
  return true
}

/** Whether `bytes` bytes of two arrays are equal, beginning at the byte offsets `atA` and `atB`. */
export function equalBytesAt(a: Uint8Array, atA: number, b: Uint8Array, atB: number, bytes: number = HASH_BYTES): boolean {
  for (let i = 0; i < bytes; i++) if (a[atA + i] !== b[atB + i]) return false
  return true
}

/** Compares two hashes byte by byte, as a function for sorting: negative if `a` comes first, positive if `b` comes first. */
export function compareHashes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < HASH_BYTES; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return 0
}
