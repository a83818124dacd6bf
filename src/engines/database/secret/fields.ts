/**
 * What roles say of the credentials of their users.
 */
import { f } from '../../../core/field/fields.ts'
import type { CredentialType } from '../port.ts'

export const CREDENTIAL_TYPES: readonly CredentialType[] = ['password', 'rsa_private_key', 'client_certificate']

export const CREDENTIAL_FIELDS = {
  credential_type: f
    .oneOf(CREDENTIAL_TYPES, 'What users log in with: `password`, the default, `rsa_private_key` or `client_certificate`.')
    .optional(),
  credential_config: f
    .pairs(
      '`password_policy` of passwords; `key_bits` and `format` of RSA keys; `key_type`, `key_bits`, `signature_bits`, `common_name_template`, ' +
        '`ca_cert` and `ca_private_key` of certificates. Default: what was stored, while the type stays.',
    )
    .optional(),
}
