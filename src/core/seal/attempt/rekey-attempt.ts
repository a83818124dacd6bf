/**
 * An attempt to replace the shares of a key, as a pure state machine: its stored state, and the error of each call in each state.
 *
 * none -> begun -> (enough shares of the current key) -> none, and the new key is in use. With verification: begun -> (enough shares of the
 * current key) -> verifying -> (enough new shares) -> none, and the new key is in use. Cancelling or sealing ends any state, and the
 * current key stays in use. The states follow Vault's rekey API.
 */
import { conflict, invalid, notFound } from '../../base/errors.ts'
import { checkCounts, type ShareCounts } from '../../crypto/shamir/shares.ts'

/** The key that opens the store, or the recovery key, which only authorizes. */
export type RekeyKind = 'barrier' | 'recovery'

/** The parameters of the new shares. */
export interface RekeyParameters extends ShareCounts {
  /** One key in base64 for each share, or empty. */
  readonly pgp_keys: readonly string[]
  /** Whether to keep the encrypted shares until they are deleted. */
  readonly backup: boolean
  readonly require_verification: boolean
}

/** The stored attempt. All processes of the store see the same one. */
export interface RekeyAttempt extends RekeyParameters {
  /** Binds shares to this attempt, so that they cannot be used in another one. */
  readonly nonce: string
  /** Null without PGP keys. */
  readonly pgp_fingerprints: readonly string[] | null
  /** The number of attempts in the seal record. Sealing changes it, and the attempt has then ended. */
  readonly era: number
  /** Set after the new shares were returned, while they must be given for verification. */
  readonly verification: Verification | null
}

/** Only the process that created the new key has it, and the attempt ends with that process. */
export interface Verification {
  readonly nonce: string
}

/** The current shares. */
export interface CurrentShares {
  /** Whether the seal opens the store without shares. */
  readonly automatic: boolean
  /** Number of shares needed to authorize; 0 if there are none. */
  readonly required: number
}

/** @throws KernelError 400: recovery shares exist only with an automatic seal. */
export function checkSupported(kind: RekeyKind, { automatic }: CurrentShares): void {
  if (kind === 'recovery' && !automatic) throw invalid('recovery rekeying not supported')
}

/**
 * The parameters as they are used: under an automatic seal the barrier key has no shares, whatever counts were sent.
 * @throws KernelError 400, in Vault's order of checks. The PGP keys themselves and a running attempt are checked later.
 */
export function validateParameters(kind: RekeyKind, present: CurrentShares, wish: RekeyParameters): RekeyParameters {
  const { pgp_keys, backup, require_verification } = wish
  if (backup && pgp_keys.length === 0)
    throw invalid('backup: cannot request a backup of the new keys without providing PGP keys for encryption')
  if (kind === 'barrier' && present.automatic) {
    if (pgp_keys.length > 0) throw invalid('pgp_keys: PGP key encryption not supported when using stored keys')
    if (require_verification)
      throw invalid('require_verification: not supported when rekeying the barrier key with recovery keys')
    return { ...wish, secret_shares: 1, secret_threshold: 1 }
  }
  if (pgp_keys.length > 0 && pgp_keys.length !== wish.secret_shares)
    throw invalid('pgp_keys: incorrect number of PGP keys for rekey')
  checkCounts(wish)
  return wish
}

/** @throws KernelError 400 if an attempt is running. */
export function beginRekey(
  running: RekeyAttempt | undefined,
  wish: RekeyParameters,
  made: Pick<RekeyAttempt, 'nonce' | 'pgp_fingerprints' | 'era'>,
): RekeyAttempt {
  if (running) throw conflict('rekey already in progress')
  return { ...wish, ...made, verification: null }
}

/** Checks that a share of the current key may be given. @throws KernelError 400 */
export function assertUpdateAllowed(kind: RekeyKind, attempt: RekeyAttempt | undefined, nonce: string): RekeyAttempt {
  if (!attempt) throw notFound(`no ${kind} rekey in progress`, 400)
  if (attempt.verification) {
    throw invalid(
      `rekey operation already finished; verification must be performed; nonce for the verification operation is "${attempt.verification.nonce}"`,
    )
  }
  if (nonce !== attempt.nonce)
    throw conflict(`nonce: incorrect nonce supplied; nonce for this rekey operation is "${attempt.nonce}"`)
  return attempt
}

export interface VerifyingAttempt extends RekeyAttempt {
  readonly verification: Verification
}

/** The attempt after the new shares were returned. The current key stays in use until enough of them have been given. */
export const awaitVerification = (attempt: RekeyAttempt, verification: Verification): VerifyingAttempt => ({
  ...attempt,
  verification,
})

/** Checks that one of the new shares may be given. @throws KernelError 400 */
export function assertVerifyAllowed(attempt: RekeyAttempt | undefined, nonce: string): VerifyingAttempt {
  if (!attempt) throw notFound('no rekey in progress', 400)
  const { verification } = attempt
  if (!verification) throw notFound('no rekey verification in progress', 400)
  if (nonce !== verification.nonce)
    throw conflict(`nonce: incorrect nonce supplied; nonce for this verify operation is "${verification.nonce}"`)
  return { ...attempt, verification }
}

/** The attempt whose verification a call is about. @throws KernelError 400 if none is running. */
export function assertInProgress(attempt: RekeyAttempt | undefined): RekeyAttempt {
  if (!attempt) throw notFound('no rekey configuration found', 400)
  return attempt
}
