import '../../../fixtures/loaded-curves.ts'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { encodeDer } from '../../../../src/core/crypto/asn1/der-writer.ts'
import { spki } from '../../../../src/core/crypto/asn1/envelopes.ts'
import { CURVE_IDS, EC_PUBLIC_KEY, RSA_ENCRYPTION } from '../../../../src/core/crypto/asn1/object-ids.ts'
import { nobleCrypto } from '../../../../src/core/crypto/noble/index.ts'
import { encodePem } from '../../../../src/core/crypto/pem.ts'
import { rsaSpki } from '../../../../src/core/crypto/rsa/index.ts'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { VerificationKeys } from '../../../../src/core/jwt/verification-keys.ts'
import { anyCharacter } from '../../../fixtures/any-character.ts'
import { certificate, ed25519Spki, name, request } from '../../../fixtures/certificates.ts'
import fc from '../../../fixtures/fast-check.ts'
import { PSS_PAIR } from '../../../fixtures/rsa-keys.ts'
import { runs } from '../../../fixtures/runs.ts'
import { certificatePem, P256, P384, P521, type Pair, RSA, spkiDer, spkiPem, token } from './tokens.ts'
import { verifies } from './verifies.ts'

const RUNS = runs({ quick: 100, soak: 20_000 })
const crypto = nobleCrypto({ accelerate: false })
const read = (...pems: readonly string[]): VerificationKeys => VerificationKeys.of(pems, 'pem_keys', crypto)

/** Returns the error message for refused keys, which must name the parameter, or undefined for accepted keys. */
function refusal(...pems: readonly string[]): string | undefined {
  try {
    read(...pems)
    return undefined
  } catch (error) {
    if (!(error instanceof KernelError) || error.status !== 400) throw error
    expect(error.message).toMatch(/^pem_keys: /)
    return error.message
  }
}

const publicPem = (der: Uint8Array): string => encodePem('PUBLIC KEY', der)
const rsaPem = (n: bigint, e: bigint): string => publicPem(rsaSpki({ n, e }))
const ecDer = (curve: 'P-256' | 'P-384' | 'P-521', point: Uint8Array): Uint8Array =>
  encodeDer(spki(EC_PUBLIC_KEY, CURVE_IDS[curve], point))
/** The uncompressed point is at the end of the SPKI. */
const pointOf = (pair: Pair, bytes: number): Uint8Array => spkiDer(pair).slice(-bytes)
const POINT = pointOf(P256, 65)
const exported = (key: KeyObject, type: 'pkcs1' | 'pkcs8' | 'sec1' | 'spki'): string =>
  key.export({ type: type as 'spki', format: 'pem' }).toString()

describe('valid verification keys', () => {
  const verified = (pem: string, alg: 'RS256' | 'ES256', key?: KeyObject) =>
    verifies(parseJwt(token(alg, {}, { alg }, key)), read(pem))

  it.each([
    ['RSA', RSA],
    ['P-256', P256],
    ['P-384', P384],
    ['P-521', P521],
  ])('are accepted as SPKI and as a certificate: %s', (_, pair) => {
    expect(refusal(spkiPem(pair), certificatePem(pair), spkiPem(pair))).toBeUndefined()
  })

  it.each([
    ['without the newline at its end', (pem: string) => pem.trimEnd()],
    ['in white space', (pem: string) => `\n\t ${pem}\n \r\n`],
    ['with CRLF line ends', (pem: string) => pem.replaceAll('\n', '\r\n')],
    ['in long lines', (pem: string) => pem.replaceAll(/([A-Za-z0-9+/])\n(?!-)/g, '$1')],
    ['after the text that tools write above it', (pem: string) => `subject=CN = web\nissuer=CN = ca\n${pem}`],
  ])('are accepted in a PEM block %s', (_, change) => {
    expect(verified(change(spkiPem(P256)), 'ES256')).toBe(true)
    expect(verified(change(certificatePem(RSA)), 'RS256')).toBe(true)
  })

  it.each([1024, 1030, 1536, 3072])('may be RSA keys of %i bits', (modulusLength) => {
    const pair = generateKeyPairSync('rsa', { modulusLength, publicExponent: 3 })
    expect(verified(spkiPem(pair), 'RS256', pair.privateKey)).toBe(true)
  })

  it.each([
    [2n ** 1023n + 1n, 3n],
    [2n ** 8192n - 1n, 65537n],
    [2n ** 2047n + 1n, 2n ** 31n - 1n],
  ])('may be RSA keys whose modulus or exponent is at a limit', (n, e) => {
    expect(refusal(rsaPem(n, e))).toBeUndefined()
  })

  it('are parsed once, not at each verification', () => {
    let parsed = 0
    const counting = {
      ...crypto,
      ecdsaVerify: (...args: Parameters<typeof crypto.ecdsaVerify>) => {
        parsed++
        return crypto.ecdsaVerify(...args)
      },
    }
    const keys = VerificationKeys.of([spkiPem(P256)], 'pem_keys', counting)
    for (let login = 0; login < 3; login++) expect(verifies(parseJwt(token('ES256')), keys)).toBe(true)
    expect(parsed).toBe(1)
  })
})

describe('verification keys in unusual forms', () => {
  const pem = spkiPem(P256)
  const ed25519 = generateKeyPairSync('ed25519')
  const offCurve = POINT.with(-1, (POINT.at(-1) as number) ^ 1)
  const compressed = Uint8Array.of(2 + ((POINT.at(-1) as number) & 1), ...POINT.subarray(1, 33))
  const explicit = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' })
  const trailing = (der: Uint8Array): Uint8Array => Uint8Array.of(...der, 0)

  it.each([
    ['an empty string', ''],
    ['white space', ' \n'],
    ['text that is not PEM', 'not PEM'],
    ['base64 without PEM lines', spkiDer(P256).toString()],
    ['cut off before its end', pem.slice(0, pem.indexOf('-----END'))],
    ['cut off within its end line', pem.slice(0, -10)],
    ['cut off at its beginning', pem.slice(1)],
    ['base64 with four characters fewer', pem.replace(/\n[A-Za-z0-9+/]{4}/, '\n')],
    ['an invalid base64 character', pem.replace(/\n[A-Za-z0-9]/, '\n*')],
    ['two blocks', pem + spkiPem(RSA)],
    ['the same block twice', pem + pem],
    ['a certificate and its issuer', certificatePem(P256) + certificatePem(RSA)],
    ['text after the block', `${pem}more`],
    ['a block and the beginning of another', `${pem}-----BEGIN PUBLIC KEY-----`],
    ['a private key', exported(P256.privateKey, 'pkcs8')],
    ['a private key of RSA', exported(RSA.privateKey, 'pkcs8')],
    ['a private key as SEC 1', exported(P256.privateKey, 'sec1')],
    ['a private key as PKCS#1', exported(RSA.privateKey, 'pkcs1')],
    ['a private key under the label PUBLIC KEY', exported(P256.privateKey, 'pkcs8').replaceAll('PRIVATE', 'PUBLIC')],
    ['a private key and its public key', exported(P256.privateKey, 'pkcs8') + pem],
    ['a public key as PKCS#1', exported(RSA.publicKey, 'pkcs1')],
    ['a PKCS#1 public key under the label PUBLIC KEY', exported(RSA.publicKey, 'pkcs1').replaceAll('RSA PUBLIC', 'PUBLIC')],
    ['a certificate request', request(name('web'), [])],
    ['a certificate under the label PUBLIC KEY', certificatePem(P256).replaceAll('CERTIFICATE', 'PUBLIC KEY')],
    ['a public key under the label CERTIFICATE', pem.replaceAll('PUBLIC KEY', 'CERTIFICATE')],
    ['Ed25519', exported(ed25519.publicKey, 'spki')],
    ['a certificate for Ed25519', certificate(ed25519Spki(new Uint8Array(32)))],
    ['X25519', exported(generateKeyPairSync('x25519').publicKey, 'spki')],
    ['secp256k1', spkiPem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }))],
    ['P-224', spkiPem(generateKeyPairSync('ec', { namedCurve: 'secp224r1' }))],
    ['a certificate for secp256k1', certificatePem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }))],
    ['a curve with explicit parameters', exported(explicit.publicKey, 'spki')],
    ['an RSA key that is restricted to PSS', spkiPem(PSS_PAIR)],
    ['a point off its curve', publicPem(ecDer('P-256', offCurve))],
    ['a certificate with a point off its curve', certificate(ecDer('P-256', offCurve))],
    ['a compressed point', publicPem(ecDer('P-256', compressed))],
    ['the point at infinity', publicPem(ecDer('P-256', Uint8Array.of(0)))],
    ['the point at infinity in uncompressed form', publicPem(ecDer('P-256', new Uint8Array(65).fill(4, 0, 1)))],
    ['a point of another curve', publicPem(ecDer('P-384', POINT))],
    ['a truncated point', publicPem(ecDer('P-256', POINT.subarray(0, 64)))],
    ['an empty point', publicPem(ecDer('P-256', new Uint8Array(0)))],
    ['bytes after the key', publicPem(trailing(spkiDer(P256)))],
    ['bytes after the RSA key', publicPem(trailing(spkiDer(RSA)))],
    ['zeros', publicPem(new Uint8Array(91))],
    ['100,000 zeros', publicPem(new Uint8Array(100_000))],
  ])('are refused: %s', (_, bad) => {
    expect(refusal(bad)).toBeDefined()
    expect(refusal(spkiPem(RSA), bad)).toBeDefined()
    expect(refusal(bad, spkiPem(RSA))).toBeDefined()
  })

  it('are accepted for RSA without the NULL algorithm parameter', () => {
    const without = spki(RSA_ENCRYPTION, new Uint8Array(0), RSA.publicKey.export({ type: 'pkcs1', format: 'der' }))
    expect(refusal(publicPem(encodeDer(without)))).toBeUndefined()
  })

  it.each([
    ['1,023 bits', 2n ** 1023n - 1n, 65537n],
    ['512 bits', 2n ** 511n + 1n, 65537n],
    ['8,193 bits', 2n ** 8192n + 1n, 65537n],
    ['16,385 bits', 2n ** 16384n + 1n, 65537n],
    ['200,000 bits', 2n ** 199_999n + 1n, 65537n],
    ['an even modulus', 2n ** 2047n, 65537n],
    ['a zero modulus', 0n, 65537n],
    ['the exponent 1', 2n ** 2047n + 1n, 1n],
    ['the exponent 0', 2n ** 2047n + 1n, 0n],
    ['an even exponent', 2n ** 2047n + 1n, 65536n],
    ['an exponent of 32 bits', 2n ** 2047n + 1n, 2n ** 31n + 1n],
    ['an exponent as long as the modulus', 2n ** 2047n + 1n, 2n ** 2046n + 1n],
  ])('are refused for RSA with %s', (_, n, e) => {
    expect(refusal(rsaPem(n, e))).toBeDefined()
  })

  it('are not quoted in the error message that refuses them', () => {
    const secret = exported(P256.privateKey, 'pkcs8')
    const [, line = ''] = secret.split('\n')
    expect(refusal(secret)).not.toContain(line.slice(0, 8))
  })
})

describe('verification keys with random changes', () => {
  const jwts = [parseJwt(token('RS256')), parseJwt(token('ES256'))]
  const ders = [RSA, P256].flatMap((pair) => [
    { label: 'PUBLIC KEY', der: spkiDer(pair) },
    { label: 'CERTIFICATE', der: Buffer.from(certificatePem(pair).replaceAll(/-----.*-----|\n/g, ''), 'base64') },
  ])

  /** Changed keys must be refused with 400 or be usable for verification. */
  function holds(pem: string): void {
    if (refusal(pem) !== undefined) return
    for (const jwt of jwts) expect(verifies(jwt, read(pem))).toBeTypeOf('boolean')
  }

  it('are refused with 400 or verify without an exception after a change of DER bytes', () => {
    const property = fc.property(
      fc.constantFrom(...ders),
      fc.nat(),
      fc.nat(2),
      fc.uint8Array({ maxLength: 2 }),
      ({ label, der }, where, cut, put) => {
        const at = where % der.length
        holds(encodePem(label, Uint8Array.of(...der.subarray(0, at), ...put, ...der.subarray(at + cut))))
      },
    )
    fc.assert(property, { numRuns: RUNS })
  })

  it('are refused with 400 or verify without an exception after a change of PEM characters', () => {
    const put = fc.string({ unit: anyCharacter, maxLength: 3 })
    const property = fc.property(fc.constantFrom(...ders), fc.nat(), fc.nat(3), put, ({ label, der }, where, cut, text) => {
      const pem = encodePem(label, der)
      const at = where % pem.length
      holds(pem.slice(0, at) + text + pem.slice(at + cut))
    })
    fc.assert(property, { numRuns: RUNS })
  })
})
