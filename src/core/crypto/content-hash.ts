/** A hash that detects changes of content: BLAKE2b (RFC 7693) with 32 bytes and no key. */
import { blake2b } from '@noble/hashes/blake2.js'
import { inPieces, type Steps } from '../base/steps.ts'

const OPTIONS = { dkLen: 32 } as const

/** Bytes between two yields: 2 ms. */
const PIECE = 32_768

export const contentHash = (content: Uint8Array): Uint8Array => blake2b(content, OPTIONS)

/** {@link contentHash} in steps. */
export function* contentHashSteps(content: Uint8Array): Steps<Uint8Array> {
  const hash = blake2b.create(OPTIONS)
  yield* inPieces(content.length, PIECE, (from, to) => {
    hash.update(content.subarray(from, to))
  })
  return hash.digest()
}
