/**
 * Refused logins: who asks learns that and nothing else, the reason goes to the audit log and the events. Room: core/auth. Imported by
 * auth methods, which refuse, and by what records and tells it.
 */
import type { Allowance } from '../../allowance.ts'
import { KernelError } from '../../errors.ts'
import { tellingOf } from '../../events/on-refusal.ts'
import type { ReviewFailure } from './token-reviewer.ts'

export type LoginRefusalReason =
  /** The role is bound to networks, and the caller's address is unknown or in none of them. */
  | 'address-not-bound'
  | 'token-too-large'
  | 'token-malformed'
  | 'algorithm-not-allowed'
  /** There is neither a key to check signatures with nor anybody to ask. */
  | 'nothing-to-verify-with'
  | 'signature-invalid'
  /** Too many signatures were wrong lately, so this one was not looked at: the one reason with a status of its own, 429. */
  | 'too-many-failures'
  | 'claims-malformed'
  | 'issuer-mismatch'
  | 'audience-mismatch'
  | 'not-yet-valid'
  | 'issued-in-future'
  | 'expired'
  | 'name-not-bound'
  | 'namespace-not-bound'
  | 'uid-missing'
  /** The certificate that the API server is to be known by could not be read. */
  | 'local-ca-unreadable'
  | ReviewFailure
  /** The server knows of an error of the token. */
  | 'review-error'
  | 'review-not-authenticated'
  | 'review-audience-mismatch'
  /** The token is somebody's, but no service account's. */
  | 'review-no-service-account'
  /** The token is another service account's than it says. */
  | 'review-mismatch'
  /** The entity behind the alias is disabled. */
  | 'entity-disabled'

const reasons = new WeakMap<KernelError, LoginRefusalReason>()

/** Whoever asks by path reads the first two words only. */
const MESSAGE = 'permission denied: the login was refused; the event login.refused and the audit log say why'

/** To be thrown. Status 403, alike for every such reason. */
export function refuseLogin(reason: LoginRefusalReason): KernelError {
  const error = new KernelError('ERR_PERMISSION_DENIED', MESSAGE)
  reasons.set(error, reason)
  return error
}

/** What a login that fails costs is taken ahead. @throws KernelError 429 when less than that is left. */
export function takeForLogin(allowance: Allowance, amount: number): void {
  try {
    allowance.take(amount)
  } catch (thrown) {
    reasons.set(thrown as KernelError, 'too-many-failures')
    throw thrown
  }
}

/** Why a login was refused; undefined for every other error. */
export const loginRefusal = (error: unknown): LoginRefusalReason | undefined =>
  error instanceof KernelError ? reasons.get(error) : undefined

/** Runs a login to `role`: its refusal, if there is one, is told to listeners. */
export function tellingRefusals<T>(role: string, login: () => T): T {
  try {
    return login()
  } catch (thrown) {
    const reason = loginRefusal(thrown)
    if (reason) tellingOf(thrown as KernelError, 'login.refused', { role, reason })
    throw thrown
  }
}
