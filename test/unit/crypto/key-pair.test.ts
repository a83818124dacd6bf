/** Certificates of servers, and their keys. */
import { describe, expect, it } from 'vitest'
import { commonNameOf, dnsNamesOf } from '../../../src/core/crypto/asn1/certificate-names.ts'
import { element, sequence } from '../../../src/core/crypto/asn1/der-writer.ts'
import { readKeyPair } from '../../../src/core/crypto/certificate/index.ts'
import { encodePem } from '../../../src/core/crypto/pem.ts'
import { name } from '../../fixtures/certificates.ts'
import { ecPair, ed25519Pair, rsaPair } from '../../fixtures/key-pairs.ts'

const read = (certificate: string, key: string) =>
  readKeyPair({ certificate, certificateName: 'Certificate', key, keyName: 'PrivateKey' })

const ec = ecPair()
const rsa = rsaPair()

describe('a certificate and its key', () => {
  it.each([
    ['RSA in PKCS#8', rsa, 'pkcs8'],
    ['RSA in PKCS#1', rsa, 'pkcs1'],
    ['P-224', ecPair('secp224r1'), 'pkcs8'],
    ['P-256', ec, 'pkcs8'],
    ['P-256 in SEC 1', ec, 'sec1'],
    ['P-384', ecPair('P-384'), 'sec1'],
    ['P-521', ecPair('P-521'), 'pkcs8'],
    ['Ed25519', ed25519Pair(), 'pkcs8'],
  ] as const)('belong together: %s', (_, pair, form) => {
    expect(commonNameOf(read(pair.certificate(), pair.key(form)), 'Certificate')).toBe('web.example')
  })

  it('belong together in a chain, with text and parameters of a curve before them', () => {
    const chain = `the leaf\n${ec.certificate()}the rest\n${rsa.certificate()}`
    const key = `${encodePem('EC PARAMETERS', Uint8Array.of(5, 0))}${ec.key('sec1')}`
    expect(commonNameOf(read(chain, key), 'Certificate')).toBe('web.example')
  })

  it.each([
    ['another key of the same kind', ecPair()],
    ['a key of another kind', rsa],
    ['a key of another curve', ecPair('P-384')],
  ])('do not belong together: %s', (_, other) => {
    expect(() => read(ec.certificate(), other.key())).toThrow('PrivateKey: does not match the public key of Certificate')
  })

  it('is told apart from the second of its chain', () => {
    expect(() => read(`${rsa.certificate()}${ec.certificate()}`, ec.key())).toThrow('PrivateKey: does not match')
  })

  it.each([
    ['no PEM', 'word'],
    ['nothing', ''],
    ['two keys', `${ec.key()}${ec.key('sec1')}`],
    ['a certificate', ec.certificate()],
    ['an encrypted key', encodePem('ENCRYPTED PRIVATE KEY', Uint8Array.of(0x30, 0))],
    ['a key of no known kind', encodePem('PRIVATE KEY', Uint8Array.of(0x30, 0))],
    ['a curve that is none of ours', ecPair('secp256k1').key()],
    ['a cut key', encodePem('PRIVATE KEY', Uint8Array.from(Buffer.from(ec.key().split('\n')[1] ?? '', 'base64')))],
    ['a short RSA key', rsaPair(1024).key('pkcs1')],
    ['a short RSA key in PKCS#8', rsaPair(2040).key()],
  ])('needs a key that can be used, and looks at it first: %s', (_, key) => {
    expect(() => read('word', key)).toThrow(/^PrivateKey: /)
  })

  it.each([
    ['no PEM', 'word'],
    ['nothing', ''],
    ['a key', ec.key()],
    ['no certificate', encodePem('CERTIFICATE', Uint8Array.of(0x30, 0))],
    ['text behind it', `${ec.certificate()}word`],
  ])('needs a certificate: %s', (_, certificate) => {
    expect(() => read(certificate, ec.key())).toThrow(/^Certificate: /)
  })
})

describe('the names of a certificate', () => {
  it('are those of hosts, without addresses', () => {
    const others = ['a.example', Uint8Array.of(127, 0, 0, 1), '*.b.example', new Uint8Array(16)]
    expect(dnsNamesOf(read(ec.certificate({ others }), ec.key()), 'Certificate')).toEqual(['a.example', '*.b.example'])
  })

  it('are none where it has none', () => {
    const certificate = read(ec.certificate({ subject: sequence() }), ec.key())
    expect(commonNameOf(certificate, 'Certificate')).toBe('')
    expect(dnsNamesOf(certificate, 'Certificate')).toEqual([])
  })

  it('are read in two bytes a character, too', () => {
    const wide = element(0x1e, Uint8Array.of(0, 0x61, 0, 0x2e, 0, 0x62))
    const common = element(0x06, Uint8Array.of(0x55, 4, 3))
    const certificate = ec.certificate({ subject: sequence(element(0x31, sequence(common, wide))) })
    expect(commonNameOf(read(certificate, ec.key()), 'Certificate')).toBe('a.b')
  })

  it('end with the last common name', () => {
    const one = name('one').parts
    const certificate = ec.certificate({ subject: sequence(...one, ...name('two').parts) })
    expect(commonNameOf(read(certificate, ec.key()), 'Certificate')).toBe('two')
  })

  it('are refused with an address of another length', () => {
    const certificate = read(ec.certificate({ others: [new Uint8Array(5)] }), ec.key())
    expect(() => dnsNamesOf(certificate, 'Certificate')).toThrow('Certificate: ')
  })
})
