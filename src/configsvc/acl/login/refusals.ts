/** All refused logins look the same to the caller; the event contains the reason. */
import { KernelError } from '../../../core/base/errors.ts'
import { loginRefusal } from '../../../core/contract/login-refusal.ts'
import { withRefusalEvent } from '../../../core/contract/refusal-event.ts'

declare module '../../../core/contract/login-reason.ts' {
  interface LoginRefusalReasons {
    /** No auth method has the requested name. */
    'method-unknown': true
    /** A matching binding rule computed an invalid name. */
    'name-not-valid': true
    /** The binding rules granted nothing that exists. */
    'nothing-bound': true
  }
}

/** The maximum number of characters of the auth method's name in an event. */
const MAX_SHOWN_CHARACTERS = 128

/** Runs one part of a login. For every refusal the caller gets a 403 without the reason, except for a 429 after too many failures. */
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
