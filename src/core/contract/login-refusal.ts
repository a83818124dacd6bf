/** Refused logins. The caller learns only that the login was refused; the reason is in the audit log and in an event. */
import type { Allowance } from '../base/allowance.ts'
import { KernelError } from '../base/errors.ts'
import type { LoginRefusalReason } from './login-reason.ts'
import { withRefusalEvent } from './refusal-event.ts'

const reasons = new WeakMap<KernelError, LoginRefusalReason>()

/** The response to a call by path contains only the beginning of this message, up to the colon. */
const MESSAGE = 'permission denied: the login was refused; the event login.refused and the audit log say why'

/** The error for a refused login. It has status 403 and the same message for every reason. */
export function refuseLogin(reason: LoginRefusalReason): KernelError {
  const error = new KernelError('ERR_PERMISSION_DENIED', MESSAGE)
  reasons.set(error, reason)
  return error
}

/**
 * Takes the cost of a failed login from the allowance before the login is examined. @throws KernelError 429 if the allowance is used up.
 */
export function takeLoginAllowance(allowance: Allowance, amount: number): void {
  try {
    allowance.take(amount)
  } catch (thrown) {
    reasons.set(thrown as KernelError, 'too-many-failures')
    throw thrown
  }
}

/** Returns the reason for which a login was refused; undefined for all other errors. */
export const loginRefusal = (error: unknown): LoginRefusalReason | undefined =>
  error instanceof KernelError ? reasons.get(error) : undefined

/** Runs a login to `role`. If it is refused, attaches the event `login.refused` to the error. */
export function reportLoginRefusals<T>(role: string, login: () => T): T {
  try {
    return login()
  } catch (thrown) {
    const reason = loginRefusal(thrown)
    if (reason) withRefusalEvent(thrown as KernelError, 'login.refused', { role, reason })
    throw thrown
  }
}
