import type { KeyFamily, SignatureBits } from '../../../core/crypto/certificate/index.ts'
import type { RsaBits } from '../../../core/crypto/rsa/index.ts'
import type { CredentialType } from '../port.ts'

/** The validated settings of a role, with defaults filled in. */
export type CredentialSettings =
  | { readonly credential_type: 'password'; readonly credential_config: PasswordConfig }
  | { readonly credential_type: 'rsa_private_key'; readonly credential_config: RsaKeyConfig }
  | { readonly credential_type: 'client_certificate'; readonly credential_config: ClientCertificateConfig }

export interface PasswordConfig {
  /**
   * The name of a password policy, which need not exist yet. If absent, the policy of the connection is used, or else the default policy.
   */
  readonly password_policy?: string
}

export interface RsaKeyConfig {
  /** Always `pkcs8`, with the upper-case and lower-case letters of the request. */
  readonly format: string
  readonly key_bits: RsaBits
}

export interface ClientCertificateConfig {
  readonly key_type: KeyFamily
  /**
   * The key size. Absent if the request had no `key_bits` and the key type has no default size. Has no effect for a key type with only one
   * size.
   */
  readonly key_bits?: number
  /** The hash size of signatures by an RSA CA. For other CA keys, the key type determines the hash. */
  readonly signature_bits: SignatureBits
  /** A template with the fields `DisplayName` and `RoleName`. */
  readonly common_name_template: string
  /** The certificate of the CA in PEM. */
  readonly ca_cert: string
  /** The private key of the CA in PEM. Reads never return it. */
  readonly ca_private_key: string
}

/** The parameters of a request. */
export interface CredentialInput {
  readonly credential_type?: CredentialType | undefined
  /** The new configuration. It replaces the complete stored configuration. */
  readonly credential_config?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Returns the configuration that reads of the role show, without the private key of the CA. Returns undefined if nothing is left to show.
 */
export function redactedConfig({ credential_config }: CredentialSettings): Readonly<Record<string, string | number>> | undefined {
  const { ca_private_key: _hidden, ...shown } = credential_config as Partial<ClientCertificateConfig>
  return Object.keys(shown).length === 0 ? undefined : (shown as Readonly<Record<string, string | number>>)
}
