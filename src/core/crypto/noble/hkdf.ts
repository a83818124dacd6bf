import { hkdf } from '@noble/hashes/hkdf.js'
import type { HashName } from '../backend.ts'
import { NOBLE_HASHES } from './hash.ts'

/**
 * HKDF (RFC 5869). The caller owns the result; intermediate values are wiped.
 * @param length At most 255 times the length of the hash.
 * @throws RangeError for a greater length
 */
export function nobleHkdf(
  hash: HashName,
  ikm: Uint8Array,
  salt: Uint8Array | undefined,
  info: Uint8Array,
  length: number,
): Uint8Array {
  const function_ = NOBLE_HASHES[hash]
  if (length > 255 * function_.outputLen) throw new RangeError('hkdf: length must be at most 255 times the length of the hash')
  return hkdf(function_, ikm, salt, info, length)
}
