/** Configurations of database users with a malformed certificate authority of the maximum request size. */
import '../fixtures/loaded-curves.ts'
import { generateKeyPairSync } from 'node:crypto'
import { systemEntropy } from '../../src/core/base/entropy.ts'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import { mergeCredential } from '../../src/engines/database/credential/index.ts'
import { certificate } from '../fixtures/certificates.ts'

const env = { crypto: nobleCrypto(), entropy: systemEntropy() }

const block = (label: string, bytes: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString('base64')}\n-----END ${label}-----\n`

type Config = Readonly<Record<string, unknown>>

/** A valid authority. */
function authority(): Config {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    ca_cert: certificate(new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })), { ca: true }),
    ca_private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export const GOOD = authority()

export const HOSTILE: readonly (readonly [name: string, config: Config])[] = [
  ['a certificate of letters', { ca_cert: 'x'.repeat(1_000_000), ca_private_key: 'x' }],
  ['thousands of PEM headers of a certificate', { ca_cert: '-----BEGIN CERTIFICATE-----\n'.repeat(4000), ca_private_key: 'x' }],
  [
    'a certificate of nested sequences',
    { ca_cert: block('CERTIFICATE', new Uint8Array(90_000).fill(0x30)), ca_private_key: 'x' },
  ],
  ['a key of letters', { ...GOOD, ca_private_key: 'x'.repeat(1_000_000) }],
  ['thousands of PEM headers of a key', { ...GOOD, ca_private_key: '-----BEGIN PRIVATE KEY-----\n'.repeat(4000) }],
  ['an RSA key of one byte', { ...GOOD, ca_private_key: block('RSA PRIVATE KEY', new Uint8Array(90_000).fill(0x7f)) }],
  ['an EC key of nested sequences', { ...GOOD, ca_private_key: block('EC PRIVATE KEY', new Uint8Array(90_000).fill(0x30)) }],
  ['a template of opening braces', { ...GOOD, common_name_template: '{{('.repeat(30_000) }],
  ['a size of many digits', { ...GOOD, key_bits: '9'.repeat(100_000) }],
]

/** @throws KernelError */
export const configure = (config: Config): unknown =>
  mergeCredential(
    env,
    undefined,
    { credential_type: 'client_certificate', credential_config: { key_type: 'ec', common_name_template: 'x', ...config } },
    0,
  )

/** The status and message of the refusal. */
export function refusal(config: Config): string {
  try {
    configure(config)
  } catch (error) {
    const { status, message } = error as { status?: number; message: string }
    return `${status} ${message}`
  }
  return 'accepted'
}
