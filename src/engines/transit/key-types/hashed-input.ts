/** The input of signatures, for types that sign digests. */
import { SLICE_BYTES, type Steps, thenUse } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/tx.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import type { SignJob } from './key-type.ts'

/** What the job's input is to be hashed with; undefined where it is a digest already. */
export const inputHash = ({ prehashed, hash }: SignJob): HashName | undefined => (prehashed || hash === 'none' ? undefined : hash)

/**
 * Calls `use` with the digest of the job's input, or with the input itself where it is a digest already; synchronously for short
 * input.
 */
export function withDigest<T>(env: Environment, job: SignJob, use: (digest: Uint8Array) => T): T | Steps<T> {
  const name = inputHash(job)
  if (!name) return use(job.input)
  const hash = env.crypto.hash(name)
  return thenUse(job.input.length > SLICE_BYTES ? hash.digestSteps(job.input) : hash.digest(job.input), use)
}
