/**
 * Validation and defaults of `credential_config`. The checks run in OpenBao's order, since only the first failure is reported.
 */
import type { Entropy } from '../../../core/base/entropy.ts'
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import {
  KEY_FAMILIES,
  type KeyFamily,
  openAuthority,
  SIGNATURE_BITS,
  type SignatureBits,
} from '../../../core/crypto/certificate/index.ts'
import type { RsaBits } from '../../../core/crypto/rsa/index.ts'
import { validateNameTemplate } from '../../credentials/name-template.ts'
import { EMPTY_FIELDS } from '../username.ts'
import type { ClientCertificateConfig, CredentialInput, CredentialSettings, PasswordConfig, RsaKeyConfig } from './settings.ts'

export interface CredentialEnvironment {
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
}

const PKCS8 = 'pkcs8'
const RSA = 'rsa'
const DEFAULT_SIGNATURE_BITS = 256

const invalidConfig = (rule: string): KernelError => invalid(`credential_config: ${rule}`)

/** Returns the name of a member of `credential_config` for error messages. */
export const configParameter = (name: string): string => `credential_config: ${name}`

type Config = Readonly<Record<string, unknown>>

/**
 * Returns the credential settings that a role has after a request. If the request has no `credential_config`, the stored configuration is
 * kept; but if the request changes the credential type, the defaults of the new type apply. Unknown members are dropped.
 * @param now Milliseconds since the Unix epoch.
 * @throws KernelError 400 for the first invalid setting.
 */
export function mergeCredential(
  env: CredentialEnvironment,
  stored: CredentialSettings | undefined,
  given: CredentialInput,
  now: number,
): CredentialSettings {
  const credential_type = given.credential_type ?? stored?.credential_type ?? 'password'
  if (given.credential_config === undefined && stored?.credential_type === credential_type) return stored
  const config = given.credential_config ?? {}
  if (credential_type === 'password') return { credential_type, credential_config: passwordConfig(config) }
  if (credential_type === 'rsa_private_key') return { credential_type, credential_config: rsaKeyConfig(config) }
  return { credential_type, credential_config: clientCertificateConfig(env, config, now) }
}

function passwordConfig(config: Config): PasswordConfig {
  const password_policy = stringMember(config, 'password_policy')
  return password_policy === undefined ? {} : { password_policy }
}

function rsaKeyConfig(config: Config): RsaKeyConfig {
  const keyType = stringMember(config, 'key_type') ?? RSA
  if (keyType !== RSA) throw invalidConfig(`key_type must be ${RSA}`)
  const format = stringMember(config, 'format') ?? PKCS8
  if (format.toLowerCase() !== PKCS8) throw invalidConfig(`format must be ${PKCS8}`)
  return { format, key_bits: keyBits(config, RSA) as RsaBits }
}

function clientCertificateConfig(env: CredentialEnvironment, config: Config, now: number): ClientCertificateConfig {
  const key_type = stringMember(config, 'key_type')
  if (!isKeyFamily(key_type)) throw invalidConfig(`key_type must be one of ${Object.keys(KEY_FAMILIES).join(', ')}`)
  const key_bits = keyBits(config, key_type)
  const signature_bits = integerMember(config, 'signature_bits') ?? DEFAULT_SIGNATURE_BITS
  if (!isSignatureBits(signature_bits)) throw invalidConfig(`signature_bits must be one of ${SIGNATURE_BITS.join(', ')}`)
  const common_name_template = requiredString(config, 'common_name_template')
  const context = { now, entropy: env.entropy }
  validateNameTemplate(common_name_template, configParameter('common_name_template'), EMPTY_FIELDS, context)
  const ca_cert = requiredString(config, 'ca_cert')
  const ca_private_key = requiredString(config, 'ca_private_key')
  const validated = { key_type, signature_bits, common_name_template, ca_cert, ca_private_key }
  openConfiguredAuthority(env, validated).wipe()
  return key_bits === undefined ? validated : { ...validated, key_bits }
}

/**
 * Parses the certificate and key of the configured CA. The caller must wipe the result. @throws KernelError 400 if the certificate or the
 * key is invalid.
 */
export const openConfiguredAuthority = (
  env: CredentialEnvironment,
  { ca_cert, ca_private_key, signature_bits }: ClientCertificateConfig,
) =>
  openAuthority(
    env.crypto,
    env.entropy,
    {
      certificate: ca_cert,
      key: ca_private_key,
      certificateName: configParameter('ca_cert'),
      keyName: configParameter('ca_private_key'),
    },
    signature_bits,
  )

const isKeyFamily = (name: string | undefined): name is KeyFamily => name !== undefined && Object.hasOwn(KEY_FAMILIES, name)

const isSignatureBits = (bits: number): bits is SignatureBits => (SIGNATURE_BITS as readonly number[]).includes(bits)

function keyBits(config: Config, family: KeyFamily): number | undefined {
  const { bits, defaultBits: usualBits } = KEY_FAMILIES[family]
  const given = integerMember(config, 'key_bits') ?? usualBits
  if (bits.length > 0 && !bits.includes(given as number)) throw invalidConfig(`key_bits must be one of ${bits.join(', ')}`)
  return given
}

function requiredString(config: Config, name: string): string {
  const text = stringMember(config, name)
  if (text === undefined) throw invalidConfig(`${name} is required`)
  return text
}

/** Returns a member as a string, or undefined if the member is absent or empty. A number is returned as decimal text. */
function stringMember(config: Config, name: string): string | undefined {
  const value = Object.hasOwn(config, name) ? (config[name] ?? undefined) : undefined
  if (typeof value === 'number') return String(value)
  if (value !== undefined && typeof value !== 'string') throw invalidConfig(`${name} must be a string`)
  return value === '' ? undefined : value
}

/** Returns a member as a number. Returns undefined if the member is absent or 0, so that the default applies. */
function integerMember(config: Config, name: string): number | undefined {
  const text = stringMember(config, name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw invalidConfig(`${name} must be a whole number`)
  return Number(text) || undefined
}
