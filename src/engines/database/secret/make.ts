import { passwordOf } from '../../../core/access/password/named.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { displayNameOfCaller } from '../../credentials/name-template.ts'
import { type CredentialSettings, type MadeCredential, makeKeyCredential } from '../credential/index.ts'

export interface SecretSettings {
  /** The password policy of the connection. An empty string means the default policy. */
  readonly policy: string
  readonly role: string
  /** Milliseconds since the Unix epoch: the end of a certificate's validity. */
  readonly expiration: number
}

/**
 * Generates a credential inside a transaction. Generating keys and certificates is slow, so all runs of the transaction share one key or
 * certificate. Passwords can differ between runs.
 * @throws KernelError 400 if the password policy is missing or cannot be satisfied, or if a certificate cannot contain the common name.
 */
export function makeSecret(tx: Tx, settings: CredentialSettings, { policy, role, expiration }: SecretSettings): MadeCredential {
  if (settings.credential_type === 'password') {
    const password = passwordOf(tx, settings.credential_config.password_policy ?? policy)
    return { database: { type: 'password', password }, answer: { password } }
  }
  const { env, now } = tx
  const fields = { DisplayName: displayNameOfCaller(tx.call.caller), RoleName: role }
  return tx.once('credential', () => makeKeyCredential(env, { settings, fields, now, expiration }))
}
