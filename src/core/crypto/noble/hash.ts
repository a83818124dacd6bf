/** The nine hash functions. Sources: FIPS 180-4 (SHA-1, SHA-2), FIPS 202 (SHA-3). */
import { sha1 } from '@noble/hashes/legacy.js'
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { sha3_224, sha3_256, sha3_384, sha3_512 } from '@noble/hashes/sha3.js'
import type { CHash } from '@noble/hashes/utils.js'
import { inPieces, type Steps } from '../../base/steps.ts'
import type { Hash, HashName } from '../backend.ts'

/** noble's hash functions by name. Only this folder and the RSA code may use them; all other code uses the backend. */
export const NOBLE_HASHES: Readonly<Record<HashName, CHash>> = {
  sha1,
  'sha2-224': sha224,
  'sha2-256': sha256,
  'sha2-384': sha384,
  'sha2-512': sha512,
  'sha3-224': sha3_224,
  'sha3-256': sha3_256,
  'sha3-384': sha3_384,
  'sha3-512': sha3_512,
}

/** The number of bytes that are hashed between two yields. Hashing them takes from 0.3 ms (SHA-256) to 2.5 ms (SHA3-512). */
export const HASH_PIECE = 32_768

export function nobleHash(name: HashName): Hash {
  const hash = NOBLE_HASHES[name]
  return Object.freeze({
    name,
    length: hash.outputLen,
    blockBytes: hash.blockLen,
    digest: (data: Uint8Array): Uint8Array => hash(data),
    *digestSteps(data: Uint8Array): Steps<Uint8Array> {
      const state = hash.create()
      yield* inPieces(data.length, HASH_PIECE, (from, to) => state.update(data.subarray(from, to)))
      return state.digest()
    },
  })
}
