/** One signature to be made or checked, under the rules of its request. */
import type { Derivation, SigningRules, SignJob } from './key-type.ts'

/** Names every member: V8 makes an object with a spread and more members behind it ten times as slowly. */
export const signJob = (
  { hash, prehashed, algorithm, marshaling, salt }: SigningRules,
  input: Uint8Array,
  derivation: Derivation | undefined,
  atOnce: true | undefined,
): SignJob => ({ hash, prehashed, algorithm, marshaling, salt, input, derivation, sync: atOnce })
