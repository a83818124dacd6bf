/**
 * inline-certificate (configsvc.md 6.14).
 */
import { describe, expect, it } from 'vitest'
import { kindNamed } from '../../../../src/configsvc/entries/index.ts'
import { sequence } from '../../../../src/core/crypto/asn1/der-writer.ts'
import { type CertificateNames, ecPair, rsaPair } from '../../../fixtures/key-pairs.ts'
import '../../../fixtures/loaded-curves.ts'
import { describeKind } from './kind-table.ts'
import { outcome } from './outcome.ts'

const pair = ecPair()

const others = ecPair()

const short = rsaPair(1024)

const PrivateKey = pair.key()

const withNames = (names: CertificateNames) => ({ Certificate: pair.certificate(names), PrivateKey })

describeKind({
  kind: 'inline-certificate',
  full: [
    {
      Kind: 'inline-certificate',
      Name: 'cert',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Certificate: `${pair.certificate()}${others.certificate()}`,
      PrivateKey,
    },
  ],
  stored: [
    { what: 'a common name with a wildcard', sent: withNames({ common: '*.shop.example' }), stored: { PrivateKey } },
    { what: 'a common name that is not a host name', sent: withNames({ common: 'The Shop' }), stored: { PrivateKey } },
    {
      what: 'a certificate for hosts and IP addresses',
      sent: withNames({ others: ['*.shop.example', new Uint8Array(4), new Uint8Array(16)] }),
      stored: { PrivateKey },
    },
  ],
  refused: [
    { at: 'PrivateKey', what: 'an entry without a key and a certificate', sent: {} },
    {
      at: 'PrivateKey',
      what: 'a key that is not PEM before it reads the certificate',
      sent: { PrivateKey: 'word', Certificate: 'word' },
    },
    { at: 'PrivateKey', what: 'a short RSA key', sent: { PrivateKey: short.key('pkcs1'), Certificate: 'word' } },
    { at: 'Certificate', what: 'a certificate that is not PEM', sent: { PrivateKey, Certificate: 'word' } },
    {
      at: 'PrivateKey',
      what: 'the certificate of another key',
      sent: { PrivateKey, Certificate: others.certificate({ common: '' }) },
    },
    {
      at: 'Certificate',
      what: 'a private key in the member of the certificate',
      sent: { PrivateKey, Certificate: `${PrivateKey}${pair.certificate()}` },
    },
    {
      at: 'Certificate',
      what: 'a certificate without a common name',
      sent: withNames({ subject: sequence(), others: ['a.example'] }),
    },
    { at: 'Certificate', what: 'a common name with an empty label', sent: withNames({ common: 'a..example' }) },
    {
      at: 'Certificate',
      what: 'a host with a label that is too long',
      sent: withNames({ others: ['a.example', 'x'.repeat(64)] }),
    },
    { at: 'Certificate', what: 'a host that is too long', sent: withNames({ others: ['a.'.repeat(128)] }) },
    { at: 'PrivateKey', what: 'a key that is too long', sent: { PrivateKey: PrivateKey.repeat(1000) } },
    { at: 'Certificate', what: 'a chain that is too long', sent: { PrivateKey, Certificate: pair.certificate().repeat(1000) } },
  ],
})

describe('the private key of an inline-certificate', () => {
  it('is a secret member of the entry kind', () => {
    expect(kindNamed('inline-certificate').secrets).toEqual(['PrivateKey'])
  })

  const lines = PrivateKey.split('\n').slice(1, -2)

  it.each([
    ['the certificate of another key', { PrivateKey, Certificate: others.certificate() }],
    ['a key without a certificate', { PrivateKey }],
    ['the key sent twice', { PrivateKey: `${PrivateKey}${PrivateKey}` }],
    ['a key with damaged base64', { PrivateKey: PrivateKey.replace('\n-----END', 'A\n-----END') }],
    ['a key whose PEM block does not end', { PrivateKey: PrivateKey.slice(0, -10) }],
    ['a key in a list', { PrivateKey: [PrivateKey, PrivateKey] }],
    ['a key in an object', { PrivateKey: { [PrivateKey]: PrivateKey } }],
    ['a key followed by an unpaired surrogate', { PrivateKey: `${PrivateKey}\ud800` }],
    ['a key in place of the certificate', { PrivateKey, Certificate: PrivateKey }],
  ])('appears in no refusal: %s', (_, sent) => {
    const text = outcome({ Kind: 'inline-certificate', Name: 'cert', ...sent })
    expect(text).toBeTypeOf('string')
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(text).not.toContain(line.slice(0, 16))
  })
})
