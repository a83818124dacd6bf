/**
 * What is shown of credentials: how a role makes them, and the secret itself to whom it is given.
 */
import { f } from '../../../core/field/fields.ts'
import { type CredentialSettings, redactedConfig } from '../credential/index.ts'
import type { CredentialType } from '../port.ts'

export const SHOWN_CREDENTIAL = {
  credential_type: f.json<CredentialType>('What users log in with.', { type: 'string' }),
  credential_config: f
    .json<Readonly<Record<string, string | number>>>('How that is made, where it is said. Never the private key of a CA.')
    .optional(),
}

export function shownCredential(settings: CredentialSettings): {
  readonly credential_type: CredentialType
  readonly credential_config?: Readonly<Record<string, string | number>>
} {
  const { credential_type } = settings
  const credential_config = redactedConfig(settings)
  return credential_config ? { credential_type, credential_config } : { credential_type }
}

export const SHOWN_SECRET = {
  password: f.text('The password, of the type `password`.').optional(),
  rsa_private_key: f.text('PEM, PKCS#8: of the type `rsa_private_key`.').optional(),
  client_certificate: f.text('PEM: of the type `client_certificate`.').optional(),
  private_key: f.text('PEM: the private key of the certificate.').optional(),
  private_key_type: f.text('Its type: `rsa`, `ec` or `ed25519`.').optional(),
}
