import { mapOutcome, SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import type { SignJob } from './key-type.ts'

/** The hash to apply to the input; undefined if the input is a digest already. */
export const inputHash = ({ prehashed, hash }: SignJob): HashName | undefined => (prehashed || hash === 'none' ? undefined : hash)

/** Calls `use` with the digest of the input, or with the input itself if it is a digest already. Short inputs are hashed synchronously. */
export function withDigest<T>(env: Environment, job: SignJob, use: (digest: Uint8Array) => T | Steps<T>): T | Steps<T> {
  const name = inputHash(job)
  if (!name) return use(job.input)
  const hash = env.crypto.hash(name)
  return mapOutcome(job.input.length > SLICE_BYTES ? hash.digestSteps(job.input) : hash.digest(job.input), use)
}
