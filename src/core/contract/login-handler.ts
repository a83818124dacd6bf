import type { RenewalTerms } from './login-terms.ts'
import type { Tx } from './tx.ts'

/** How an auth method renews the tokens of its logins. */
export interface LoginHandler {
  /**
   * Runs in the commit that renews a token; synchronous, and may run again like every operation. `tx` reads the auth method's own records.
   * @param data The data that the login stored.
   * @throws KernelError 400 to refuse the renewal. The token stays valid until it expires.
   */
  renew(tx: Tx, data: Readonly<Record<string, string>>): RenewalTerms
}
