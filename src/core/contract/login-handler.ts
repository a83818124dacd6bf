/**
 * What an auth method does for the tokens of its logins.
 */
import type { RenewalTerms } from './login-terms.ts'
import type { Tx } from './tx.ts'

/** What an auth method does for the tokens of its logins. */
export interface LoginHandler {
  /**
   * In the commit that renews a token; synchronous, and may run again like every operation. `tx` is on the method's own records.
   * @param data What the login left.
   * @throws KernelError 400 where there is to be no renewal; the token lives on to its end.
   */
  renew(tx: Tx, data: Readonly<Record<string, string>>): RenewalTerms
}
