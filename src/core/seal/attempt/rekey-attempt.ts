/**
 * An attempt to replace the shares of a key, as a state machine of pure functions. The functions compute the next stored state or the error
 * of a call.
 *
 * The states and calls follow Vault's rekey API:
 *
 * - Without verification: no attempt -> begun -> (enough shares of the current key were given) -> no attempt, and the new key is in use.
 * - With verification: no attempt -> begun -> (enough shares of the current key were given) -> verifying -> (enough new shares were given)
 *   -> no attempt, and the new key is in use.
 * - In any state, canceling the attempt or sealing the store ends the attempt. The current key then stays in use.
 */
import { conflict, invalid, notFound } from '../../base/errors.ts'
import { checkCounts, type ShareCounts } from '../../crypto/shamir/shares.ts'

/** `barrier`: the unseal key. `recovery`: the recovery key, which authorizes operations but cannot unseal the store. */
export type RekeyKind = 'barrier' | 'recovery'

/** The parameters of a rekey: how the new shares are created and returned. */
export interface RekeyParameters extends ShareCounts {
  /** One PGP key in base64 for each share. Empty if the shares are returned in clear text. */
  readonly pgp_keys: readonly string[]
  /** Whether to store the encrypted shares as a backup, which remains until it is deleted explicitly. */
  readonly backup: boolean
  readonly require_verification: boolean
}

/** The stored attempt. All processes that share the store see the same attempt. */
export interface RekeyAttempt extends RekeyParameters {
  /** The nonce of the attempt. Shares are sent with it, so that they are not used for another attempt. */
  readonly nonce: string
  /** The fingerprints of the PGP keys. Null if no PGP keys are used. */
  readonly pgp_fingerprints: readonly string[] | null
  /** The attempt number of the seal record when the attempt began. Sealing all processes changes that number, which ends the attempt. */
  readonly era: number
  /** Set after the new shares were returned and until enough of them have been given for verification. */
  readonly verification: Verification | null
}

/**
 * The running verification of new shares. Only the process that created the new key has the key, so the attempt ends when that process
 * stops.
 */
export interface Verification {
  readonly nonce: string
}

/** The existing shares, which are needed for a rekey. */
export interface CurrentShares {
  /** Whether the seal is automatic, so that it unseals the store without shares. */
  readonly automatic: boolean
  /** The number of shares that are needed for a rekey; 0 if there are no shares. */
  readonly required: number
}

/**
 * @throws KernelError 400 for a rekey of the recovery key under a seal with key shares, because only automatic seals have a recovery key.
 */
export function checkSupported(kind: RekeyKind, { automatic }: CurrentShares): void {
  if (kind === 'recovery' && !automatic) throw invalid('recovery rekeying not supported')
}

/**
 * Checks the parameters of a rekey and returns the parameters to use. For a rekey of the kind `barrier` under an automatic seal, the share
 * counts are ignored, because such a store has no unseal key and so no shares of it.
 * @throws KernelError 400 if parameters are invalid or contradict each other. The checks have the same order as in Vault. Later checks
 * decide whether the PGP keys are valid and whether an attempt is already running.
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

/** Returns a new attempt. @throws KernelError 400 if an attempt is already running. */
export function beginRekey(
  running: RekeyAttempt | undefined,
  wish: RekeyParameters,
  made: Pick<RekeyAttempt, 'nonce' | 'pgp_fingerprints' | 'era'>,
): RekeyAttempt {
  if (running) throw conflict('rekey already in progress')
  return { ...wish, ...made, verification: null }
}

/** Checks that an attempt with this nonce is running and waits for shares of the current key. @throws KernelError 400 if not */
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

/**
 * Returns the state of the attempt while its new shares are verified. The current key stays in use until enough of the new shares have been
 * given.
 */
export const awaitVerification = (attempt: RekeyAttempt, verification: Verification): VerifyingAttempt => ({
  ...attempt,
  verification,
})

/** Checks that a verification with this nonce is running. @throws KernelError 400 if not */
export function assertVerifyAllowed(attempt: RekeyAttempt | undefined, nonce: string): VerifyingAttempt {
  if (!attempt) throw notFound('no rekey in progress', 400)
  const { verification } = attempt
  if (!verification) throw notFound('no rekey verification in progress', 400)
  if (nonce !== verification.nonce)
    throw conflict(`nonce: incorrect nonce supplied; nonce for this verify operation is "${verification.nonce}"`)
  return { ...attempt, verification }
}

/** Checks that an attempt is running. Used by calls about its verification. @throws KernelError 400 if not */
export function assertInProgress(attempt: RekeyAttempt | undefined): RekeyAttempt {
  if (!attempt) throw notFound('no rekey configuration found', 400)
  return attempt
}
