/** A hash for detecting changes in content: BLAKE2b (RFC 7693) without a key, 32 bytes long. */
import { blake2b } from '@noble/hashes/blake2.js'
import { inPieces, type Steps } from '../base/steps.ts'

const OPTIONS = { dkLen: 32 } as const

/** The number of bytes that are hashed between two yields, in about 2 ms. */
const PIECE = 32_768

export const contentHash = (content: Uint8Array): Uint8Array => blake2b(content, OPTIONS)

/** Like {@link contentHash}, for long content: yields to the event loop. */
export function* contentHashSteps(content: Uint8Array): Steps<Uint8Array> {
  const hash = blake2b.create(OPTIONS)
  yield* inPieces(content.length, PIECE, (from, to) => {
    hash.update(content.subarray(from, to))
  })
  return hash.digest()
}
