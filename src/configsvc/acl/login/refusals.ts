/**
 * Refused logins: all look alike to the caller, and the event says why.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { loginRefusal } from '../../../core/contract/login-refusal.ts'
import { tellingOf } from '../../../core/contract/refusal-event.ts'

declare module '../../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    /** There is no auth method of the name. */
    'method-unknown': true
    /** A binding rule that matches computes no valid name. */
    'name-not-valid': true
    /** No binding rule gives the caller anything that exists. */
    'nothing-bound': true
  }
}

/** The longest part of a name that was sent which an event has. */
const MAX_SHOWN_CHARACTERS = 128

/** Runs a part of a login. Only too many failures (429) look different. */
export function hidingReason<T>(authMethod: string, body: () => T): T {
  try {
    return body()
  } catch (thrown) {
    const reason = loginRefusal(thrown)
    if (reason === undefined) throw thrown
    const { status } = thrown as KernelError
    const shown = status === 403 ? new KernelError('ERR_PERMISSION_DENIED', 'Permission denied') : (thrown as KernelError)
    throw tellingOf(shown, 'login.refused', { role: authMethod.slice(0, MAX_SHOWN_CHARACTERS), reason })
  }
}
