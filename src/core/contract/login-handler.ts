import type { RenewalTerms } from './login-terms.ts'
import type { Tx } from './tx.ts'

/** Renews tokens that logins of an auth method created. */
export interface LoginHandler {
  /**
   * Runs in the commit that renews a token. Like operations, it is synchronous and may run several times. `tx` accesses the records of the
   * auth method.
   * @param data The data that the login stored with the token.
   * @throws KernelError 400 to refuse the renewal. The token remains valid until it expires.
   */
  renew(tx: Tx, data: Readonly<Record<string, string>>): RenewalTerms
}
