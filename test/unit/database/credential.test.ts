import { createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import {
  type CredentialInput,
  type CredentialSettings,
  makeKeyCredential,
  mergeCredential,
  redactedConfig,
} from '../../../src/engines/database/credential/index.ts'
import { seededEntropy } from '../../../src/testing/index.ts'

const NOW = Date.UTC(2026, 10, 21)
const env = { crypto: nobleCrypto(), entropy: seededEntropy(1) }
const merge = (stored: CredentialSettings | undefined, input: CredentialInput): CredentialSettings =>
  mergeCredential(env, stored, input, NOW)

const PASSWORD: CredentialSettings = { credential_type: 'password', credential_config: { password_policy: 'p' } }
const RSA: CredentialSettings = { credential_type: 'rsa_private_key', credential_config: { format: 'PKCS8', key_bits: 4096 } }

describe('the credential settings of a database role', () => {
  it.each<[string, CredentialSettings | undefined, CredentialInput, CredentialSettings]>([
    ['the password type by default', undefined, {}, { credential_type: 'password', credential_config: {} }],
    [
      'only the name of the password policy',
      undefined,
      { credential_config: { password_policy: 'p', other: 'x', key_bits: [] } },
      PASSWORD,
    ],
    [
      'no empty policy name',
      undefined,
      { credential_config: { password_policy: '' } },
      { credential_type: 'password', credential_config: {} },
    ],
    ['the former settings if none are given', PASSWORD, {}, PASSWORD],
    ['the former settings if the same type is given', RSA, { credential_type: 'rsa_private_key' }, RSA],
    [
      'an empty configuration in place of the former one',
      PASSWORD,
      { credential_config: {} },
      { credential_type: 'password', credential_config: {} },
    ],
    [
      'the defaults of another type',
      PASSWORD,
      { credential_type: 'rsa_private_key' },
      { credential_type: 'rsa_private_key', credential_config: { format: 'pkcs8', key_bits: 2048 } },
    ],
    [
      'a new configuration with its own defaults',
      RSA,
      { credential_config: { key_bits: 3072 } },
      { credential_type: 'rsa_private_key', credential_config: { format: 'pkcs8', key_bits: 3072 } },
    ],
    [
      'numbers given as strings, and format as given',
      undefined,
      { credential_type: 'rsa_private_key', credential_config: { key_bits: '4096', format: 'PKCS8', key_type: 'rsa' } },
      RSA,
    ],
  ])('store %s', (_name, stored, input, expected) => {
    expect(merge(stored, input)).toEqual(expected)
  })

  it.each<[CredentialInput, RegExp]>([
    [{ credential_config: { password_policy: ['p'] } }, /password_policy must be a string/],
    [{ credential_config: { password_policy: true } }, /password_policy must be a string/],
    [{ credential_type: 'rsa_private_key', credential_config: { key_bits: '1024' } }, /key_bits must be one of 2048, 3072, 4096/],
    [{ credential_type: 'rsa_private_key', credential_config: { key_bits: 2048.5 } }, /key_bits must be a whole number/],
    [{ credential_type: 'rsa_private_key', credential_config: { key_bits: 'many' } }, /key_bits must be a whole number/],
    [{ credential_type: 'rsa_private_key', credential_config: { key_bits: {} } }, /key_bits must be a string/],
    [{ credential_type: 'rsa_private_key', credential_config: { format: 'pkcs1' } }, /format must be pkcs8/],
    [{ credential_type: 'rsa_private_key', credential_config: { key_type: 'ec' } }, /key_type must be rsa/],
    [{ credential_type: 'client_certificate' }, /key_type must be one of rsa, ec, ed25519/],
    [{ credential_type: 'client_certificate', credential_config: { key_type: 'constructor' } }, /key_type must be one of/],
    // Checks run in Vault's order: each error shows that later members were not checked.
    [{ credential_type: 'client_certificate', credential_config: { key_type: 'dsa', key_bits: 1 } }, /key_type/],
    [
      { credential_type: 'client_certificate', credential_config: { key_type: 'ec', key_bits: 100, signature_bits: 1 } },
      /key_bits must be one of 224, 256, 384, 521/,
    ],
    [
      {
        credential_type: 'client_certificate',
        credential_config: { key_type: 'ec', signature_bits: 100, common_name_template: '{{' },
      },
      /signature_bits must be one of 256, 384, 512/,
    ],
    [
      { credential_type: 'client_certificate', credential_config: { key_type: 'ec', ca_cert: 'x' } },
      /common_name_template is required/,
    ],
    [
      { credential_type: 'client_certificate', credential_config: { key_type: 'ec', common_name_template: '{{' } },
      /common_name_template: an action is not closed/,
    ],
    [
      { credential_type: 'client_certificate', credential_config: { key_type: 'ec', common_name_template: '{{.Password}}' } },
      /common_name_template: a field that does not exist is used/,
    ],
    [
      {
        credential_type: 'client_certificate',
        credential_config: { key_type: 'ec', common_name_template: '{{index .RoleName 0}}' },
      },
      /common_name_template: the position for index/,
    ],
    [
      {
        credential_type: 'client_certificate',
        credential_config: { key_type: 'ec', common_name_template: 'x', ca_private_key: 'x' },
      },
      /ca_cert is required/,
    ],
    [
      { credential_type: 'client_certificate', credential_config: { key_type: 'ec', common_name_template: 'x', ca_cert: 'x' } },
      /ca_private_key is required/,
    ],
    [
      {
        credential_type: 'client_certificate',
        credential_config: { key_type: 'ec', common_name_template: 'x', ca_cert: 'x', ca_private_key: 'x' },
      },
      /ca_cert: /,
    ],
  ])('refuse %j', (input, rule) => {
    expect(() => merge(undefined, input)).toThrow(rule)
    expect(() => merge(undefined, input)).toThrow(/^credential_config: /)
  })

  it('are returned without the CA private key, and as undefined if they are empty', () => {
    expect(redactedConfig(PASSWORD)).toEqual({ password_policy: 'p' })
    expect(redactedConfig({ credential_type: 'password', credential_config: {} })).toBeUndefined()
    const credential_config = {
      key_type: 'ec',
      signature_bits: 256,
      common_name_template: 'x',
      ca_cert: 'c',
      ca_private_key: 'k',
    } as const
    const { ca_private_key, ...shown } = credential_config
    expect(redactedConfig({ credential_type: 'client_certificate', credential_config })).toEqual(shown)
    expect(JSON.stringify(redactedConfig({ credential_type: 'client_certificate', credential_config }))).not.toContain(
      `"${ca_private_key}"`,
    )
  })
})

describe('makeKeyCredential', () => {
  const wish = { fields: { DisplayName: '', RoleName: '' }, now: NOW, expiration: NOW + 1000 }

  it.each([2048, 3072] as const)(
    'gives the public key of an RSA key of %i bits to the database and the private key to the user',
    async (key_bits) => {
      const settings = {
        credential_type: 'rsa_private_key' as const,
        credential_config: { format: 'pkcs8', key_bits },
      }
      const { database, answer } = await makeKeyCredential(env, { ...wish, settings })
      const pem = answer['rsa_private_key'] as string
      expect(Object.keys(answer)).toEqual(['rsa_private_key'])
      expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END PRIVATE KEY-----\n$/)
      const key = createPrivateKey(pem)
      expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: key_bits, publicExponent: 65537n })
      const public_key = createPublicKey(key).export({ type: 'spki', format: 'pem' })
      expect(database).toEqual({ type: 'rsa_private_key', public_key })
    },
  )
})
