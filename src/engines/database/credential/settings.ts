/**
 * What kind of credential a role's users get, and how it is made: judged and completed when a role is written.
 */
import type { KeyFamily, SignatureBits } from '../../../core/crypto/certificate/index.ts'
import type { RsaBits } from '../../../core/crypto/rsa/index.ts'
import type { CredentialType } from '../port.ts'

/** As a role keeps it. */
export type CredentialSettings =
  | { readonly credential_type: 'password'; readonly credential_config: PasswordConfig }
  | { readonly credential_type: 'rsa_private_key'; readonly credential_config: RsaKeyConfig }
  | { readonly credential_type: 'client_certificate'; readonly credential_config: ClientCertificateConfig }

export interface PasswordConfig {
  /** Name of a policy that need not exist yet; absent: that of the connection, or the default. */
  readonly password_policy?: string
}

export interface RsaKeyConfig {
  /** `pkcs8` in any case, as it was written. */
  readonly format: string
  readonly key_bits: RsaBits
}

export interface ClientCertificateConfig {
  readonly key_type: KeyFamily
  /** Of families that have one size whatever was written, absent where nothing was. */
  readonly key_bits?: number
  /** Counts for RSA authorities; the hash of others goes with their key. */
  readonly signature_bits: SignatureBits
  /** Over `DisplayName` and `RoleName`. */
  readonly common_name_template: string
  /** PEM. */
  readonly ca_cert: string
  /** PEM. Never shown. */
  readonly ca_private_key: string
}

/** What a request names. */
export interface CredentialInput {
  readonly credential_type?: CredentialType | undefined
  /** Replaces the stored one as a whole. */
  readonly credential_config?: Readonly<Record<string, unknown>> | undefined
}

/** As a read shows it: without what must not be known, undefined where nothing is left. */
export function redactedConfig({ credential_config }: CredentialSettings): Readonly<Record<string, string | number>> | undefined {
  const { ca_private_key: _hidden, ...shown } = credential_config as Partial<ClientCertificateConfig>
  return Object.keys(shown).length === 0 ? undefined : (shown as Readonly<Record<string, string | number>>)
}
