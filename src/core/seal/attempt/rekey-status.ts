/**
 * The results of rekey calls. As in Vault's API, their members depend on the state of the attempt.
 */
import type { EncodedShares } from '../pgp-recipients.ts'
import type { RekeyAttempt } from './rekey-attempt.ts'

export interface RekeyStatus {
  /** The nonce of the attempt. Empty if no attempt is running. */
  readonly nonce: string
  readonly started: boolean
  /** `t` is the number of new shares that will be required, `n` the number of all new shares. Both are 0 if no attempt is running. */
  readonly t: number
  readonly n: number
  /** The number of shares of the current key that this process was given, and the number of them that the rekey requires. */
  readonly progress: number
  readonly required: number
  readonly pgp_fingerprints: readonly string[] | null
  readonly backup: boolean
  readonly verification_required: boolean
  /** Present while the new shares are being verified. */
  readonly verification_nonce?: string
}

/** The new shares. */
export interface RekeyCompletion extends EncodedShares {
  /** The nonce of the attempt. Absent if the rekey needed no attempt. */
  readonly nonce?: string
  readonly complete: true
  readonly pgp_fingerprints: readonly string[] | null
  readonly backup: boolean
  readonly verification_required: boolean
  readonly verification_nonce?: string
}

export interface VerificationStatus {
  /** The nonce of the verification. Empty if the new shares were not returned yet. */
  readonly nonce: string
  readonly started: boolean
  readonly t: number
  readonly n: number
  readonly progress: number
}

export interface VerificationCompletion {
  readonly nonce: string
  readonly complete: true
}

const IDLE = {
  nonce: '',
  started: false,
  t: 0,
  n: 0,
  progress: 0,
  pgp_fingerprints: null,
  backup: false,
  verification_required: false,
}

export function rekeyStatus(attempt: RekeyAttempt | undefined, required: number, progress: number): RekeyStatus {
  if (!attempt) return { ...IDLE, required }
  return {
    nonce: attempt.nonce,
    started: true,
    t: attempt.secret_threshold,
    n: attempt.secret_shares,
    progress,
    required,
    pgp_fingerprints: attempt.pgp_fingerprints,
    backup: attempt.backup,
    verification_required: attempt.require_verification,
    ...nonceOf(attempt),
  }
}

export const completion = (attempt: RekeyAttempt, given: EncodedShares): RekeyCompletion => ({
  nonce: attempt.nonce,
  complete: true,
  keys: given.keys,
  keys_base64: given.keys_base64,
  pgp_fingerprints: attempt.pgp_fingerprints,
  backup: attempt.backup,
  verification_required: attempt.require_verification,
  ...nonceOf(attempt),
})

export const verificationStatus = (attempt: RekeyAttempt, progress: number): VerificationStatus => ({
  nonce: attempt.verification?.nonce ?? '',
  started: attempt.verification !== null,
  t: attempt.secret_threshold,
  n: attempt.secret_shares,
  progress,
})

const nonceOf = ({ verification }: RekeyAttempt) => (verification ? { verification_nonce: verification.nonce } : {})
