import { f } from '../../../core/field/fields.ts'
import { type CredentialSettings, redactedConfig } from '../credential/index.ts'
import type { CredentialType } from '../port.ts'

export const SHOWN_CREDENTIAL = {
  credential_type: f.json<CredentialType>('The type of the users’ credentials.', { type: 'string' }),
  credential_config: f
    .json<Readonly<Record<string, string | number>>>(
      'The settings of the credential type, if there are any. The private key of a CA is never returned.',
    )
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
  password: f.text('The password, if the credential type is `password`.').optional(),
  rsa_private_key: f.text('The private key in PKCS#8 PEM, if the credential type is `rsa_private_key`.').optional(),
  client_certificate: f.text('The certificate in PEM, if the credential type is `client_certificate`.').optional(),
  private_key: f.text('The private key of the certificate in PKCS#8 PEM.').optional(),
  private_key_type: f.text('The type of the certificate’s key: `rsa`, `ec` or `ed25519`.').optional(),
}
