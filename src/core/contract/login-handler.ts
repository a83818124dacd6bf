/**
 * What an auth method does for the tokens of its logins.
 */
import type { RenewalTerms } from './login-terms.ts'
import type { Tx } from './tx.ts'

/** What an auth method does for the tokens of its logins. */
export interface LoginHandler {
  /**
   * Runs in the commit that renews a token; synchronous, and may run again like every operation. `tx` works on the method's own
   * records.
   * @param data The data stored by the login.
   * @throws KernelError 400 to refuse the renewal; the token lives on until it expires.
   */
  renew(tx: Tx, data: Readonly<Record<string, string>>): RenewalTerms
}
