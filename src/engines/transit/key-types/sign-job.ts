import type { Derivation, SigningRules, SignJob } from './key-type.ts'

/** Lists every member instead of using a spread: V8 takes ten times as long for an object literal that has members after a spread. */
export const signJob = (
  { hash, prehashed, algorithm, marshaling, salt }: SigningRules,
  input: Uint8Array,
  derivation: Derivation | undefined,
  sync: true | undefined,
): SignJob => ({ hash, prehashed, algorithm, marshaling, salt, input, derivation, sync })
