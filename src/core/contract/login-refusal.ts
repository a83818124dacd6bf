/**
 * Refused logins: the caller learns only of the refusal; the reason goes to the audit log and the events.
 */
import type { Allowance } from '../base/allowance.ts'
import { KernelError } from '../base/errors.ts'
import type { LoginRefusalReason } from './login-reason.ts'
import { withRefusalEvent } from './refusal-event.ts'

const reasons = new WeakMap<KernelError, LoginRefusalReason>()

/** Callers by path see the first two words only. */
const MESSAGE = 'permission denied: the login was refused; the event login.refused and the audit log say why'

/** The error to throw: status 403, the same for every such reason. */
export function refuseLogin(reason: LoginRefusalReason): KernelError {
  const error = new KernelError('ERR_PERMISSION_DENIED', MESSAGE)
  reasons.set(error, reason)
  return error
}

/** Reserves the cost of a failed login in advance. @throws KernelError 429 when less than that is left. */
export function takeLoginAllowance(allowance: Allowance, amount: number): void {
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

/** Runs a login to `role`, and reports its refusal, if any, to listeners. */
export function reportLoginRefusals<T>(role: string, login: () => T): T {
  try {
    return login()
  } catch (thrown) {
    const reason = loginRefusal(thrown)
    if (reason) withRefusalEvent(thrown as KernelError, 'login.refused', { role, reason })
    throw thrown
  }
}
