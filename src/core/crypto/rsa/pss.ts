/**
 * EMSA-PSS for digests, using the same hash for MGF1. Source: RFC 8017 section 9.1.
 *
 * node:crypto cannot sign a digest with PSS, because it always hashes its input. Therefore the encoding is implemented here with noble's
 * hash functions.
 */
import type { HashName } from '../backend.ts'
import { equalBytes } from '../equal.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'

const TRAILER = 0xbc

/** The maximum length of the salt. Signing with `auto` uses this length. Negative if the key is too small for the hash. */
export const maxPssSalt = (modulusBits: number, hash: HashName): number =>
  Math.ceil((modulusBits - 1) / 8) - NOBLE_HASHES[hash].outputLen - 2

/** Returns the encoded message of ceil((modulusBits - 1) / 8) bytes. The caller has checked that the digest and the salt fit. */
export function encodePss(hash: HashName, digest: Uint8Array, salt: Uint8Array, modulusBits: number): Uint8Array {
  const emBits = modulusBits - 1
  const encoded = new Uint8Array(Math.ceil(emBits / 8))
  const h = saltedDigest(hash, digest, salt)
  const db = encoded.subarray(0, encoded.length - h.length - 1)
  db[db.length - salt.length - 1] = 1
  db.set(salt, db.length - salt.length)
  addMask(hash, h, db)
  db[0]! &= topMask(emBits)
  encoded.set(h, db.length)
  encoded[encoded.length - 1] = TRAILER
  return encoded
}

/** Verifies an encoded message. Overwrites `encoded`. @param saltBytes The required length of the salt, or `any`. */
export function verifyPss(
  hash: HashName,
  digest: Uint8Array,
  encoded: Uint8Array,
  saltBytes: number | 'any',
  modulusBits: number,
): boolean {
  const emBits = modulusBits - 1
  const { outputLen } = NOBLE_HASHES[hash]
  const end = encoded.length - outputLen - 1
  if (digest.length !== outputLen || end < 1 || encoded[encoded.length - 1] !== TRAILER) return false
  const db = encoded.subarray(0, end)
  const h = encoded.subarray(end, end + outputLen)
  if (db[0]! & ~topMask(emBits)) return false
  addMask(hash, h, db)
  db[0]! &= topMask(emBits)
  const one = db.findIndex((byte) => byte !== 0)
  if (one < 0 || db[one] !== 1) return false
  const salt = db.subarray(one + 1)
  if (saltBytes !== 'any' && salt.length !== saltBytes) return false
  return equalBytes(saltedDigest(hash, digest, salt), h)
}

/** The bits of the first byte that an encoded message may use, as a bit mask. */
const topMask = (emBits: number): number => 0xff >> (-emBits & 7)

function saltedDigest(hash: HashName, digest: Uint8Array, salt: Uint8Array): Uint8Array {
  return NOBLE_HASHES[hash].create().update(new Uint8Array(8)).update(digest).update(salt).digest()
}

/** Xors `data` with the MGF1 mask (appendix B.2.1) of `seed`, in place. */
function addMask(hash: HashName, seed: Uint8Array, data: Uint8Array): void {
  const function_ = NOBLE_HASHES[hash]
  const input = new Uint8Array(seed.length + 4)
  input.set(seed)
  const counter = new DataView(input.buffer)
  for (let at = 0, i = 0; at < data.length; at += function_.outputLen, i++) {
    counter.setUint32(seed.length, i)
    const mask = function_(input)
    const n = Math.min(mask.length, data.length - at)
    for (let j = 0; j < n; j++) data[at + j]! ^= mask[j]!
  }
}
