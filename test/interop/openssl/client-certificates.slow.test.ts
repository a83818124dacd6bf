/** Certificates of database users for every key type, from authorities with every key type, checked by openssl, Node and node-forge. */
import '../../fixtures/loaded-curves.ts'
import { createPrivateKey, createPublicKey, sign, verify, X509Certificate } from 'node:crypto'
import forge from 'node-forge'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemEntropy } from '../../../src/core/base/entropy.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import {
  type ClientCertificateConfig,
  type MadeCredential,
  makeKeyCredential,
  mergeCredential,
} from '../../../src/engines/database/credential/index.ts'
import { AUTHORITY_KEYS, OpenSslFolder } from '../../fixtures/authorities.ts'
import { OPENSSL, openSslTitle } from './command.ts'

const env = { crypto: nobleCrypto(), entropy: systemEntropy() }
const NOW = Math.floor(Date.now() / 1000) * 1000 + 789
const EXPIRATION = NOW + 3_600_000

const SUBJECT_KEYS = [
  ['rsa', 2048, 'rsaEncryption', /2048 bit/],
  ['rsa', 3072, 'rsaEncryption', /3072 bit/],
  ['rsa', 4096, 'rsaEncryption', /4096 bit/],
  ['ec', 224, 'id-ecPublicKey', /NIST CURVE: P-224/],
  ['ec', 256, 'id-ecPublicKey', /NIST CURVE: P-256/],
  ['ec', 384, 'id-ecPublicKey', /NIST CURVE: P-384/],
  ['ec', 521, 'id-ecPublicKey', /NIST CURVE: P-521/],
  ['ed25519', undefined, 'ED25519', /ED25519 Public-Key/],
] as const

/** The signature algorithms of an authority for signature_bits of 256, 384 and 512. */
const SIGNATURES: Readonly<Record<string, readonly [string, string, string]>> = {
  rsa: ['sha256WithRSAEncryption', 'sha384WithRSAEncryption', 'sha512WithRSAEncryption'],
  'ec 224': ['ecdsa-with-SHA256', 'ecdsa-with-SHA256', 'ecdsa-with-SHA256'],
  'ec 256': ['ecdsa-with-SHA256', 'ecdsa-with-SHA256', 'ecdsa-with-SHA256'],
  'ec 384': ['ecdsa-with-SHA384', 'ecdsa-with-SHA384', 'ecdsa-with-SHA384'],
  'ec 521': ['ecdsa-with-SHA512', 'ecdsa-with-SHA512', 'ecdsa-with-SHA512'],
  ed25519: ['ED25519', 'ED25519', 'ED25519'],
}

describe.skipIf(!OPENSSL)(openSslTitle('certificates for database users'), () => {
  let openssl: OpenSslFolder
  beforeAll(() => {
    openssl = new OpenSslFolder()
  })
  afterAll(() => openssl.remove())

  interface Issued {
    readonly client_certificate: string
    readonly private_key: string
    readonly private_key_type: string
  }
  async function issue(
    config: Partial<ClientCertificateConfig>,
    role = 'report',
    now = NOW,
    expiration = EXPIRATION,
  ): Promise<Issued & { readonly made: MadeCredential }> {
    const credentialConfig = { common_name_template: '{{.DisplayName}} / {{.RoleName}}', ...config }
    const settings = mergeCredential(
      env,
      undefined,
      { credential_type: 'client_certificate', credential_config: credentialConfig },
      now,
    )
    const fields = { DisplayName: 'token-app', RoleName: role }
    if (settings.credential_type === 'password') throw new TypeError('a password is no certificate')
    const made = await makeKeyCredential(env, { settings, fields, now, expiration })
    return { made, ...(made.answer as unknown as Issued) }
  }
  /** Expects that openssl accepts the certificate for a TLS client. Returns its text. */
  function accepted(ca: string, certificate: string): string {
    const path = openssl.file('leaf.pem', certificate)
    openssl.run('verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', openssl.file('root.pem', ca), path)
    return openssl.run('x509', '-in', path, '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus')
  }

  it.each(SUBJECT_KEYS)('are valid for keys of type %s with %s bits', async (key_type, key_bits, algorithm, shown) => {
    const ca = openssl.authority(AUTHORITY_KEYS['ec 256'] as readonly string[])
    const { made, client_certificate, private_key, private_key_type } = await issue({
      ...ca,
      key_type,
      ...(key_bits ? { key_bits } : {}),
    })
    const text = accepted(ca.ca_cert, client_certificate)
    expect(private_key_type).toBe(key_type)
    expect(text).toContain(`Public Key Algorithm: ${algorithm}`)
    expect(text).toMatch(shown)
    expect(text).toMatch(/Version: 3/)
    expect(text).toMatch(/Subject: CN=token-app \/ report\n/)
    expect(text).toMatch(/Issuer: O=Größe & Co,CN=ca, the first\n/)
    expect(text).toMatch(
      /X509v3 Key Usage: critical\s+Digital Signature\s+X509v3 Extended Key Usage:\s+TLS Web Client Authentication\n/,
    )
    expect(text).not.toContain('Basic Constraints')
    const certificate = new X509Certificate(client_certificate)
    expect(Date.parse(certificate.validFrom)).toBe(Math.floor((NOW - 30_000) / 1000) * 1000)
    expect(Date.parse(certificate.validTo)).toBe(Math.floor(EXPIRATION / 1000) * 1000)
    expect(made.database).toEqual({ type: 'client_certificate', subject: 'CN=token-app / report' })
    // The private key belongs to the certificate.
    const key = createPrivateKey(private_key)
    expect(certificate.checkPrivateKey(key)).toBe(true)
    const hash = key_type === 'ed25519' ? null : 'sha256'
    expect(verify(hash, Buffer.from('x'), certificate.publicKey, sign(hash, Buffer.from('x'), key))).toBe(true)
  })

  it.each(Object.keys(AUTHORITY_KEYS))('are valid from an authority with a key of type %s', async (name) => {
    const ca = openssl.authority(AUTHORITY_KEYS[name] as readonly string[])
    const called = SIGNATURES[name] ?? (SIGNATURES['rsa'] as readonly string[])
    for (const [index, signature_bits] of ([256, 384, 512] as const).entries()) {
      const { client_certificate } = await issue({ ...ca, key_type: 'ec', signature_bits })
      const text = accepted(ca.ca_cert, client_certificate)
      expect(text.match(/Signature Algorithm: .*/g)).toEqual(Array(2).fill(`Signature Algorithm: ${called[index]}`))
    }
  })

  it('can be issued by an authority whose key is in any PEM format and whose certificate is surrounded by text', async () => {
    const forms = {
      'ec 256': ['ec', '-in'],
      'rsa 2048': ['rsa', '-traditional', '-in'],
    }
    for (const [name, [command = '', ...options]] of Object.entries(forms)) {
      const ca = openssl.authority(AUTHORITY_KEYS[name] as readonly string[])
      const other = openssl.run(command, ...options, openssl.file('key.pem', ca.ca_private_key))
      expect(other).toMatch(/BEGIN (EC|RSA) PRIVATE KEY/)
      const more = new OpenSslFolder()
      const chain = `some words\n${ca.ca_cert}\n${more.authority(AUTHORITY_KEYS['ed25519'] as readonly string[]).ca_cert}`
      more.remove()
      const parameters = name === 'ec 256' ? openssl.run('ecparam', '-name', 'prime256v1') : ''
      const { client_certificate } = await issue({ key_type: 'ec', ca_cert: chain, ca_private_key: parameters + other })
      accepted(ca.ca_cert, client_certificate)
    }
  })

  it('have distinct serial numbers of 20 bytes', async () => {
    const ca = openssl.authority(AUTHORITY_KEYS['ed25519'] as readonly string[])
    const serials = new Set<string>()
    for (let i = 0; i < 20; i++)
      serials.add(new X509Certificate((await issue({ ...ca, key_type: 'ed25519' })).client_certificate).serialNumber)
    expect(serials.size).toBe(20)
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{39}$/)
  })

  it("contain the key identifiers of their own key and of the authority's key", async () => {
    const ca = openssl.authority(AUTHORITY_KEYS['rsa 2048'] as readonly string[])
    const { client_certificate } = await issue({ ...ca, key_type: 'ec' })
    const ids = (text: string, title: string): string | undefined =>
      new RegExp(`${title} Key Identifier: ?\\n\\s+([0-9A-F:]+)`).exec(text)?.[1]
    const [own, of] = [client_certificate, ca.ca_cert].map((pem) =>
      openssl.run('x509', '-in', openssl.file('x.pem', pem), '-noout', '-text'),
    ) as [string, string]
    expect(ids(own, 'Authority')).toBe(ids(of, 'Subject'))
    // Openssl computes the key identifier of a request by the same rule.
    const spki = createPublicKey(client_certificate).export({ type: 'spki', format: 'der' })
    expect(ids(own, 'Subject')?.replaceAll(':', '')).toBe(
      forge.md.sha1.create().update(spki.subarray(-65).toString('latin1')).digest().toHex().toUpperCase(),
    )
  })

  it('that end in 2050 or later have years of four digits, and end in 9999 at the latest', async () => {
    const ca = openssl.authority(AUTHORITY_KEYS['ed25519'] as readonly string[])
    for (const [now, expiration, expected] of [
      [Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(2050, 0, 1), '2050-01-01T00:00:00.000Z'],
      [Date.UTC(2051, 1, 28), Date.UTC(2052, 1, 29, 12, 30, 15), '2052-02-29T12:30:15.000Z'],
      [NOW, 1e15, '9999-12-31T23:59:59.000Z'],
    ] as const) {
      const { client_certificate } = await issue({ ...ca, key_type: 'ec' }, 'x', now, expiration)
      const certificate = new X509Certificate(client_certificate)
      expect(new Date(certificate.validTo).toISOString()).toBe(expected)
      expect(Date.parse(certificate.validFrom)).toBe(Math.floor((now - 30_000) / 1000) * 1000)
      // DER has a single encoding for each time, and openssl enforces it.
      expect(openssl.run('asn1parse', '-in', openssl.file('leaf.pem', client_certificate))).toContain(
        Date.parse(expected) < Date.UTC(2050, 0, 1) ? 'UTCTIME' : 'GENERALIZEDTIME',
      )
    }
  })

  it('may have names in any script, whose special characters are escaped in the subject', async () => {
    const ca = openssl.authority(AUTHORITY_KEYS['ec 256'] as readonly string[])
    for (const [name, subject] of [
      ['Größe 😀', 'CN=Größe 😀'],
      ['a,b+c"d\\e<f>g;h=i', 'CN=a\\,b\\+c\\"d\\\\e\\<f\\>g\\;h\\=i'],
      [' #x ', 'CN=\\ #x\\ '],
      ['#x', 'CN=\\#x'],
      [' ', 'CN=\\ '],
      ['x\\ ', 'CN=x\\\\\\ '],
      ['a b', 'CN=a b'],
      ['y'.repeat(64), `CN=${'y'.repeat(64)}`],
    ] as const) {
      const { made, client_certificate } = await issue({ ...ca, key_type: 'ec', common_name_template: '{{.RoleName}}' }, name)
      expect(made.database).toEqual({ type: 'client_certificate', subject })
      expect(new X509Certificate(client_certificate).toLegacyObject().subject).toEqual({ CN: name })
    }
    for (const name of ['', 'y'.repeat(65), 'a\nb', 'a\0b'])
      await expect(issue({ ...ca, key_type: 'ec', common_name_template: '{{.RoleName}}' }, name)).rejects.toThrow(
        /^credential_config: common_name_template: /,
      )
  })

  it('are accepted by node-forge if all keys are RSA keys', async () => {
    const ca = openssl.authority(AUTHORITY_KEYS['rsa 2048'] as readonly string[])
    const { client_certificate, private_key } = await issue({ ...ca, key_type: 'rsa', signature_bits: 512 })
    const certificate = forge.pki.certificateFromPem(client_certificate)
    expect(forge.pki.certificateFromPem(ca.ca_cert).verify(certificate)).toBe(true)
    expect(certificate.getExtension('keyUsage')).toMatchObject({
      critical: true,
      digitalSignature: true,
      keyCertSign: false,
      keyEncipherment: false,
    })
    expect(certificate.getExtension('extKeyUsage')).toMatchObject({ clientAuth: true })
    const key = forge.pki.privateKeyFromPem(private_key)
    expect(key.n.equals((certificate.publicKey as forge.pki.rsa.PublicKey).n)).toBe(true)
  })

  describe('from an invalid authority', () => {
    const refused = (config: Record<string, unknown>): string => {
      try {
        mergeCredential(
          env,
          undefined,
          { credential_type: 'client_certificate', credential_config: { key_type: 'ec', common_name_template: 'x', ...config } },
          NOW,
        )
      } catch (error) {
        expect(error).toMatchObject({ status: 400 })
        return (error as Error).message
      }
      throw new Error('was not refused')
    }

    it('are refused, as are certificates from an authority with a wrong key', () => {
      const p256 = AUTHORITY_KEYS['ec 256'] as readonly string[]
      const one = openssl.authority(p256)
      const two = openssl.authority(p256, [], 1)
      expect(refused({ ...one, ca_private_key: two.ca_private_key })).toBe(
        'credential_config: ca_private_key: must be the private key of the certificate',
      )
      expect(refused(openssl.authority(p256, ['-addext', 'basicConstraints=critical,CA:FALSE']))).toContain(
        'ca_cert: must be the certificate of a certificate authority',
      )
      expect(
        refused(openssl.authority(p256, ['-config', openssl.file('none.cnf', '[req]\ndistinguished_name=dn\n[dn]\n')])),
      ).toContain('ca_cert: must be the certificate of a certificate authority')
      for (const curve of ['secp256k1', 'secp192k1'])
        expect(refused(openssl.authority(['-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${curve}`]))).toContain(
          'must be an RSA, ECDSA or Ed25519 key',
        )
      expect(refused(openssl.authority(['-algorithm', 'ed448']))).toContain('must be an RSA, ECDSA or Ed25519 key')
      const short = openssl.run('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024')
      for (const ca_private_key of [short, pemOfLongKey()])
        expect(refused({ ...one, ca_private_key })).toContain('2048 to 4096 bits')
      const encrypted = openssl.run('pkey', '-in', openssl.file('k.pem', one.ca_private_key), '-aes256', '-passout', 'pass:x')
      expect(refused({ ...one, ca_private_key: encrypted })).toContain('unencrypted')
      expect(refused({ ...one, ca_private_key: one.ca_private_key + two.ca_private_key })).toContain(
        'one unencrypted private key',
      )
      expect(refused({ ...one, ca_cert: one.ca_private_key })).toContain('ca_cert: must be a certificate')
    })
  })
})

/** A key of 8,192 bits with invalid numbers. Only its size is checked before it is refused. */
function pemOfLongKey(): string {
  const number = (bytes: number): forge.jsbn.BigInteger => new forge.jsbn.BigInteger(`f${'b'.repeat(2 * bytes - 1)}`, 16)
  const [n, e, half] = [number(1024), new forge.jsbn.BigInteger('10001', 16), number(512)]
  return forge.pki.privateKeyToPem(forge.pki.setRsaPrivateKey(n, e, n, half, half, half, half, half))
}
