/**
 * An attempt to replace the shares of a key, as a pure state machine: what is stored of it, and which call is refused in which state.
 *
 * none -> begun -> (enough shares of the present key) -> none, with the new key in force -> verifying -> (enough of the new shares) ->
 * none, with the new key in force Cancelling and sealing lead to none from everywhere, with the present key in force. Source: spec
 * document 2, "Recovery-key rekey".
 */
import { conflict, invalid, notFound } from '../../base/errors.ts'
import { checkCounts, type ShareCounts } from '../../crypto/shamir/shares.ts'

/** The key that opens the store, or the one that only authorises. */
export type RekeyKind = 'barrier' | 'recovery'

/** The operator's wish for the new shares. */
export interface RekeyWish extends ShareCounts {
  /** One key for each share, in base64, or none. */
  readonly pgp_keys: readonly string[]
  /** Keeps the encrypted shares until they are deleted. */
  readonly backup: boolean
  readonly require_verification: boolean
}

/** The stored attempt, so that every process of the store sees the same one. */
export interface RekeyAttempt extends RekeyWish {
  /** Binds shares to this attempt: otherwise they could be used in another one. */
  readonly nonce: string
  /** Null without PGP keys. */
  readonly pgp_fingerprints: readonly string[] | null
  /** The number of attempts in the seal record: sealing changes it, and the attempt is then over. */
  readonly era: number
  /** The new shares have been returned, and must be given for verification. */
  readonly verification: Verification | null
}

/** Only the process that made the new key holds it: the attempt ends with that process. */
export interface Verification {
  readonly nonce: string
}

/** The present shares. */
export interface Present {
  /** The seal opens the store by itself. */
  readonly automatic: boolean
  /** Shares needed to authorise; 0 where there are none. */
  readonly required: number
}

/** @throws KernelError 400: recovery shares exist only with an automatic seal. */
export function checkSupported(kind: RekeyKind, { automatic }: Present): void {
  if (kind === 'recovery' && !automatic) throw invalid('recovery rekeying not supported')
}

/**
 * The wish as it can be fulfilled: under an automatic seal nobody holds the barrier's key, whatever counts were sent.
 * @throws KernelError 400 in the order of the originals; the PGP keys themselves and a running attempt are checked later.
 */
export function judgeWish(kind: RekeyKind, present: Present, wish: RekeyWish): RekeyWish {
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

/** @throws KernelError 400 where an attempt is running. */
export function begin(
  running: RekeyAttempt | undefined,
  wish: RekeyWish,
  made: Pick<RekeyAttempt, 'nonce' | 'pgp_fingerprints' | 'era'>,
): RekeyAttempt {
  if (running) throw conflict('rekey already in progress')
  return { ...wish, ...made, verification: null }
}

/** Whether a share of the present key may be given. @throws KernelError 400 */
export function judgeUpdate(kind: RekeyKind, attempt: RekeyAttempt | undefined, nonce: string): RekeyAttempt {
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

export interface Verifying extends RekeyAttempt {
  readonly verification: Verification
}

/** The new shares have been returned: the present key stays in force until they are given. */
export const toVerify = (attempt: RekeyAttempt, verification: Verification): Verifying => ({ ...attempt, verification })

/** Whether one of the new shares may be given. @throws KernelError 400 */
export function judgeVerify(attempt: RekeyAttempt | undefined, nonce: string): Verifying {
  if (!attempt) throw notFound('no rekey in progress', 400)
  const { verification } = attempt
  if (!verification) throw notFound('no rekey verification in progress', 400)
  if (nonce !== verification.nonce)
    throw conflict(`nonce: incorrect nonce supplied; nonce for this verify operation is "${verification.nonce}"`)
  return { ...attempt, verification }
}

/** The attempt whose verification is asked about. @throws KernelError 400 where none is running. */
export function judgeVerification(attempt: RekeyAttempt | undefined): RekeyAttempt {
  if (!attempt) throw notFound('no rekey configuration found', 400)
  return attempt
}
