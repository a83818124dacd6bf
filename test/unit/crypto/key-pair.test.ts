import '../../fixtures/loaded-curves.ts'
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

describe('the certificate and private key of a server', () => {
  it.each([
    ['RSA in PKCS#8', rsa, 'pkcs8'],
    ['RSA in PKCS#1', rsa, 'pkcs1'],
    ['P-224', ecPair('secp224r1'), 'pkcs8'],
    ['P-256', ec, 'pkcs8'],
    ['P-256 in SEC 1', ec, 'sec1'],
    ['P-384', ecPair('P-384'), 'sec1'],
    ['P-521', ecPair('P-521'), 'pkcs8'],
    ['Ed25519', ed25519Pair(), 'pkcs8'],
  ] as const)('are accepted if they match: %s', (_, pair, form) => {
    expect(commonNameOf(read(pair.certificate(), pair.key(form)), 'Certificate')).toBe('web.example')
  })

  it('are accepted if the certificate is followed by its chain and the key is preceded by EC parameters', () => {
    const chain = `the leaf\n${ec.certificate()}the rest\n${rsa.certificate()}`
    const key = `${encodePem('EC PARAMETERS', Uint8Array.of(5, 0))}${ec.key('sec1')}`
    expect(commonNameOf(read(chain, key), 'Certificate')).toBe('web.example')
  })

  it.each([
    ['another key of the same kind', ecPair()],
    ['a key of another kind', rsa],
    ['a key of another curve', ecPair('P-384')],
  ])('are refused if the key is %s', (_, otherPair) => {
    expect(() => read(ec.certificate(), otherPair.key())).toThrow('PrivateKey: does not match the public key of Certificate')
  })

  it('are refused if the key matches only the second certificate of the chain', () => {
    expect(() => read(`${rsa.certificate()}${ec.certificate()}`, ec.key())).toThrow('PrivateKey: does not match')
  })

  it.each([
    ['text that is not PEM', 'word'],
    ['an empty string', ''],
    ['two keys', `${ec.key()}${ec.key('sec1')}`],
    ['a certificate', ec.certificate()],
    ['an encrypted key', encodePem('ENCRYPTED PRIVATE KEY', Uint8Array.of(0x30, 0))],
    ['a key of an unknown type', encodePem('PRIVATE KEY', Uint8Array.of(0x30, 0))],
    ['an unsupported curve', ecPair('secp256k1').key()],
    ['a truncated key', encodePem('PRIVATE KEY', Uint8Array.from(Buffer.from(ec.key().split('\n')[1] ?? '', 'base64')))],
    ['a short RSA key', rsaPair(1024).key('pkcs1')],
    ['a short RSA key in PKCS#8', rsaPair(2040).key()],
  ])('are refused with an error about the key if the key and the certificate are unusable: %s', (_, key) => {
    expect(() => read('word', key)).toThrow(/^PrivateKey: /)
  })

  it.each([
    ['text that is not PEM', 'word'],
    ['an empty string', ''],
    ['a private key', ec.key()],
    ['an invalid certificate', encodePem('CERTIFICATE', Uint8Array.of(0x30, 0))],
    ['text after the certificate', `${ec.certificate()}word`],
  ])('are refused for an invalid certificate: %s', (_, certificate) => {
    expect(() => read(certificate, ec.key())).toThrow(/^Certificate: /)
  })
})

describe('the names in a certificate', () => {
  it('are the DNS names, without IP addresses', () => {
    const others = ['a.example', Uint8Array.of(127, 0, 0, 1), '*.b.example', new Uint8Array(16)]
    expect(dnsNamesOf(read(ec.certificate({ others }), ec.key()), 'Certificate')).toEqual(['a.example', '*.b.example'])
  })

  it('are empty for a certificate without a subject and alternative names', () => {
    const certificate = read(ec.certificate({ subject: sequence() }), ec.key())
    expect(commonNameOf(certificate, 'Certificate')).toBe('')
    expect(dnsNamesOf(certificate, 'Certificate')).toEqual([])
  })

  it('are decoded from strings of two-byte characters', () => {
    const wide = element(0x1e, Uint8Array.of(0, 0x61, 0, 0x2e, 0, 0x62))
    const common = element(0x06, Uint8Array.of(0x55, 4, 3))
    const certificate = ec.certificate({ subject: sequence(element(0x31, sequence(common, wide))) })
    expect(commonNameOf(read(certificate, ec.key()), 'Certificate')).toBe('a.b')
  })

  it('are read from the last of several common names', () => {
    const one = name('one').parts
    const certificate = ec.certificate({ subject: sequence(...one, ...name('two').parts) })
    expect(commonNameOf(read(certificate, ec.key()), 'Certificate')).toBe('two')
  })

  it('are refused if the certificate contains an IP address of an invalid length', () => {
    const certificate = read(ec.certificate({ others: [new Uint8Array(5)] }), ec.key())
    expect(() => dnsNamesOf(certificate, 'Certificate')).toThrow('Certificate: ')
  })
})
