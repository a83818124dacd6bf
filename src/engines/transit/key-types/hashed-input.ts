/**
 * What a signature is made over, for types that sign digests. Room: engines/transit/key-types.
 */
import { SLICE_BYTES, type Steps } from '../../../core/crypto/backend.ts'
import type { Environment } from '../../../core/transaction/tx.ts'
import type { SignJob } from './key-type.ts'

/**
 * Calls `use` with the digest of the job's input, or with the input itself where it is one already; at once for short input.
 */
export function withDigest<T>(env: Environment, job: SignJob, use: (digest: Uint8Array) => T): T | Steps<T> {
  if (job.prehashed || job.hash === 'none') return use(job.input)
  const hash = env.crypto.hash(job.hash)
  if (job.input.length <= SLICE_BYTES) return use(hash.digest(job.input))
  return digestThen(hash.digestSteps(job.input), use)
}

function* digestThen<T>(steps: Steps<Uint8Array>, use: (digest: Uint8Array) => T): Steps<T> {
  return use(yield* steps)
}
