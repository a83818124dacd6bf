/** Key formats compared with OpenSSL: PKCS#8, SEC 1, SPKI, PKCS#1 and RSA numbers. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DerReader, INTEGER, SEQUENCE } from '../../../src/core/crypto/asn1/der-reader.ts'
import { encodeDer, octets, sequence, unsigned } from '../../../src/core/crypto/asn1/der-writer.ts'
import { ecPkcs8, ecSec1, readEcPkcs8, readEcSpki } from '../../../src/core/crypto/asn1/ec-keys.ts'
import { ed25519Pkcs8, ed25519Spki, readEd25519Pkcs8, readEd25519Spki } from '../../../src/core/crypto/asn1/ed25519-keys.ts'
import { decodeFirstPem } from '../../../src/core/crypto/pem.ts'
import {
  bigintBytes,
  bytesBigint,
  checkedRsaNumbers,
  readRsaPkcs8,
  readRsaSpki,
  rsaNumbersOf,
  rsaPkcs8,
  rsaPublicNumbersOf,
  rsaSpki,
} from '../../../src/core/crypto/rsa/index.ts'
import fc from '../../fixtures/fast-check.ts'
import { RSA_PAIR } from '../../fixtures/rsa-keys.ts'
import { noise } from './steps.ts'

const own = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes)
const pkcs8 = (key: KeyObject) => own(key.export({ type: 'pkcs8', format: 'der' }))
const spki = (key: KeyObject) => own(key.export({ type: 'spki', format: 'der' }))
const REFUSAL = expect.objectContaining({ status: 400 })
const refused = (call: () => unknown) => expect(call).toThrow(REFUSAL)

describe.each(['P-256', 'P-384', 'P-521'] as const)('an elliptic-curve key on %s', (curve) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: curve })
  const { scalar, point } = readEcPkcs8(curve, pkcs8(privateKey), 'key')

  it('is encoded and decoded as by OpenSSL', () => {
    expect(ecPkcs8(curve, scalar, point)).toEqual(pkcs8(privateKey))
    expect(ecSec1(curve, scalar, point)).toEqual(own(privateKey.export({ type: 'sec1', format: 'der' })))
    expect(own(readEcSpki(curve, spki(publicKey), 'key'))).toEqual(own(point))
  })

  it('is refused if it is on another curve, truncated, or followed by other bytes', () => {
    for (const other of ['P-256', 'P-384', 'P-521'] as const) {
      if (other !== curve) refused(() => readEcPkcs8(other, pkcs8(privateKey), 'key'))
      if (other !== curve) refused(() => readEcSpki(other, spki(publicKey), 'key'))
    }
    const whole = pkcs8(privateKey)
    for (let length = 0; length < whole.length; length++) refused(() => readEcPkcs8(curve, whole.subarray(0, length), 'key'))
    refused(() => readEcPkcs8(curve, Uint8Array.from([...whole, 0]), 'key'))
    refused(() => readEcPkcs8(curve, spki(publicKey), 'key'))
  })
})

describe('an Ed25519 key', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  it('is encoded and decoded as by OpenSSL', () => {
    expect(ed25519Pkcs8(readEd25519Pkcs8(pkcs8(privateKey), 'key').seed)).toEqual(pkcs8(privateKey))
    expect(ed25519Spki(readEd25519Spki(spki(publicKey), 'key'))).toEqual(spki(publicKey))
  })

  it('is not decoded from an X25519 or Ed448 key', () => {
    for (const kind of ['x25519', 'ed448'] as const) {
      const otherResult = generateKeyPairSync(kind as 'x25519')
      refused(() => readEd25519Pkcs8(pkcs8(otherResult.privateKey), 'key'))
      refused(() => readEd25519Spki(spki(otherResult.publicKey), 'key'))
    }
  })
})

describe('an RSA key', () => {
  const { privateKey, publicKey } = RSA_PAIR
  const numbers = readRsaPkcs8(pkcs8(privateKey), 2048, 'key')

  it('is encoded and decoded as by OpenSSL', () => {
    expect(rsaPkcs8(numbers)).toEqual(pkcs8(privateKey))
    expect(rsaNumbersOf(pkcs8(privateKey))).toEqual(numbers)
    expect(rsaSpki(readRsaSpki(spki(publicKey), 2048, 'key'))).toEqual(spki(publicKey))
    expect(rsaPublicNumbersOf(spki(publicKey))).toEqual({ n: numbers.n, e: numbers.e })
  })

  it('is completed from n, e, d and the two primes in any order', () => {
    const { n, e, d, p, q } = numbers
    expect(checkedRsaNumbers({ n, e, d, p, q }, 2048, 'key')).toEqual(numbers)
    // Swapped primes are the same key with another coefficient, which OpenSSL accepts too.
    const turned = checkedRsaNumbers({ n, e, d, p: q, q: p }, 2048, 'key')
    expect((turned.qInv * turned.q) % turned.p).toBe(1n)
    expect(
      createPrivateKey({ key: Buffer.from(rsaPkcs8(turned)), format: 'der', type: 'pkcs8' }).asymmetricKeyDetails?.modulusLength,
    ).toBe(2048)
  })

  it('is refused if one of its numbers does not match the others', () => {
    for (const name of ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qInv'] as const) {
      for (const change of [1n, 2n, -1n, -numbers[name]])
        refused(() => checkedRsaNumbers({ ...numbers, [name]: numbers[name] + change }, 2048, 'key'))
    }
    refused(() => checkedRsaNumbers(numbers, 3072, 'key'))
  })
})

describe('big integers as bytes', () => {
  it('are converted back to the same integer, at any length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 600n }), fc.nat({ max: 5 }), (value, more) => {
        const bytes = bigintBytes(value)
        expect(bytesBigint(bytes)).toBe(value)
        expect(bytes[0] ?? 1).not.toBe(0)
        const padded = bigintBytes(value, bytes.length + more)
        expect([padded.length, bytesBigint(padded)]).toEqual([bytes.length + more, value])
      }),
    )
  })
})

describe('the DER reader', () => {
  it('returns octet strings and integers of any size as they were encoded', () => {
    for (const size of [0, 1, 127, 128, 255, 256, 65_535, 65_536, 100_000]) {
      const bytes = noise(size)
      const reader = new DerReader(encodeDer(sequence(octets(bytes), unsigned(bytes))), 'text').next(SEQUENCE)
      expect(Buffer.compare(reader.next(4).bytes, bytes)).toBe(0)
      expect(bytesBigint(reader.unsigned())).toBe(bytesBigint(bytes))
      reader.end()
    }
  })

  it.each([
    ['empty input', ''],
    ['a tag alone', '30'],
    ['an indefinite length', '30800000'],
    ['a long length form for a short length', '30810102'],
    ['a length with a leading zero', '3082000102'],
    ['a length of five bytes', '308500000000010000'],
    ['truncated content', '300302'],
  ])('refuses %s', (_, hex) => {
    refused(() => new DerReader(Buffer.from(hex, 'hex'), 'text').next(SEQUENCE))
  })

  it.each(['0200', '0201ff', '02020001', '02820001'])('refuses %s as an unsigned integer', (hex) => {
    refused(() => new DerReader(Buffer.from(hex, 'hex'), 'text').unsigned())
    expect(INTEGER).toBe(2)
  })

  it('refuses random bytes as any kind of key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const read of [
          () => readEcPkcs8('P-256', bytes, 'key'),
          () => readEd25519Pkcs8(bytes, 'key'),
          () => readRsaPkcs8(bytes, 2048, 'key'),
          () => readRsaSpki(bytes, 2048, 'key'),
        ])
          refused(read)
      }),
    )
  })
})

describe('decodeFirstPem', () => {
  const block = (label = 'PUBLIC KEY', body = 'AQID') => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`
  it.each([
    ['alone', block()],
    ['with another label', block('ANYTHING')],
    ['between other text', `before\n${block()}after`],
    ['with CRLF line ends', block().replaceAll('\n', '\r\n')],
    ['with CR line ends', block().replaceAll('\n', '\r')],
    ['with headers', block('PUBLIC KEY', 'Proc-Type: 4\nDEK-Info: x\n\nAQID')],
    ['before another block', block() + block('OTHER', 'BAUG')],
  ])('decodes a block %s', (_, text) => {
    expect(decodeFirstPem(text, 'key')).toEqual(Uint8Array.of(1, 2, 3))
  })

  it.each([
    '',
    'AQID',
    '-----BEGIN A-----\nAQID',
    '-----BEGIN A-----\nAQID\n-----END B-----',
    block('A', '%%%%'),
    block('A', ''),
    block('A', 'AQI'),
  ])('refuses %j', (text) => {
    refused(() => decodeFirstPem(text, 'key'))
  })
})
