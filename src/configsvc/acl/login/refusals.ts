/** Refused logins look alike to the caller; the event contains the reason. */
import { KernelError } from '../../../core/base/errors.ts'
import { loginRefusal } from '../../../core/contract/login-refusal.ts'
import { withRefusalEvent } from '../../../core/contract/refusal-event.ts'

declare module '../../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    /** No auth method has this name. */
    'method-unknown': true
    /** A matching binding rule computed an invalid name. */
    'name-not-valid': true
    /** No binding rule granted anything that exists. */
    'nothing-bound': true
  }
}

/** Events contain at most so much of the auth method's name. */
const MAX_SHOWN_CHARACTERS = 128

/** Runs a part of a login. The caller sees a plain 403 for every refusal, except for 429 after too many failures. */
export function hidingReason<T>(authMethod: string, body: () => T): T {
  try {
    return body()
  } catch (thrown) {
    const reason = loginRefusal(thrown)
    if (reason === undefined) throw thrown
    const { status } = thrown as KernelError
    const shown = status === 403 ? new KernelError('ERR_PERMISSION_DENIED', 'Permission denied') : (thrown as KernelError)
    throw withRefusalEvent(shown, 'login.refused', { role: authMethod.slice(0, MAX_SHOWN_CHARACTERS), reason })
  }
}
