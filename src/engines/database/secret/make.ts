/**
 * A credential for a user, within a transaction.
 */
import { passwordOf } from '../../../core/access/password/named.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { type CredentialSettings, type MadeCredential, makeKeyCredential } from '../credential/index.ts'
import { displayName } from '../username.ts'

export interface SecretOptions {
  /** The password policy of the connection; empty: the default one. */
  readonly policy: string
  readonly role: string
  /** Milliseconds: the end of a certificate. */
  readonly expiration: number
}

/**
 * What takes long is made once for all runs.
 * @throws KernelError 400 for a password policy that is not there or cannot be met, and for a name that no certificate can have.
 */
export function makeSecret(tx: Tx, settings: CredentialSettings, { policy, role, expiration }: SecretOptions): MadeCredential {
  if (settings.credential_type === 'password') {
    const password = passwordOf(tx, settings.credential_config.password_policy ?? policy)
    return { database: { type: 'password', password }, answer: { password } }
  }
  const { env, now } = tx
  const fields = { DisplayName: displayName(tx.call.caller), RoleName: role }
  return tx.once('credential', () => makeKeyCredential(env, { settings, fields, now, expiration }))
}
