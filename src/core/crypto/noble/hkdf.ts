/**
 * HKDF. Source: RFC 5869.
 */
import { hkdf } from '@noble/hashes/hkdf.js'
import type { HashName } from '../backend.ts'
import { NOBLE_HASHES } from './hash.ts'

/**
 * `length` bytes, at most 255 times the hash's. The result belongs to the caller; what was computed on the way is wiped.
 * @throws RangeError for a longer one.
 */
export function nobleHkdf(
  hash: HashName,
  ikm: Uint8Array,
  salt: Uint8Array | undefined,
  info: Uint8Array,
  length: number,
): Uint8Array {
  const function_ = NOBLE_HASHES[hash]
  if (length > 255 * function_.outputLen) throw new RangeError('hkdf: more than 255 blocks')
  return hkdf(function_, ikm, salt, info, length)
}
