import { f } from '../../../core/field/fields.ts'
import type { CredentialType } from '../port.ts'

export const CREDENTIAL_TYPES: readonly CredentialType[] = ['password', 'rsa_private_key', 'client_certificate']

export const CREDENTIAL_FIELDS = {
  credential_type: f
    .oneOf(
      CREDENTIAL_TYPES,
      'The type of the users’ credentials: `password` (the default), `rsa_private_key` or `client_certificate`.',
    )
    .optional(),
  credential_config: f
    .pairs(
      'Settings of the credential type. For `password`: `password_policy`. For `rsa_private_key`: `key_bits`, `format`. For `client_certificate`: ' +
        '`key_type`, `key_bits`, `signature_bits`, `common_name_template`, `ca_cert`, `ca_private_key`. Default: the stored settings, if the type stays the same.',
    )
    .optional(),
}
