import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { decodeEcdsaSignature, encodeEcdsaSignature } from '../../../src/core/crypto/ecdsa-der.ts'
import { equalBytes } from '../../../src/core/crypto/equal.ts'
import { decodePem, encodePem } from '../../../src/core/crypto/pem.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { hex, unhex } from '../../vectors/load.ts'

const refused = expect.objectContaining({ constructor: KernelError, code: 'ERR_INVALID_REQUEST', status: 400 })
const short = (n: number): string => n.toString(16).padStart(64, '0')

describe('DER encoding of ECDSA signatures', () => {
  it('writes each integer in its shortest form, with a zero byte before a set high bit', () => {
    expect(hex(encodeEcdsaSignature(unhex(short(1) + short(0x80))))).toBe('300702010102020080')
    expect(hex(encodeEcdsaSignature(unhex('ff'.repeat(32) + short(0x7f))))).toBe(`3026022100${'ff'.repeat(32)}02017f`)
    expect(hex(encodeEcdsaSignature(unhex('01'.repeat(132)))).slice(0, 14)).toBe('30818802420101')
  })

  it('round-trips signatures of all three curves', () => {
    for (const size of [32, 48, 66]) {
      const halves = fc.tuple(fc.nat(size - 1), fc.uint8Array({ minLength: 2 * size, maxLength: 2 * size }))
      fc.assert(
        fc.property(halves, ([zeros, signature]) => {
          signature.fill(0, 0, zeros)
          signature[size - 1]! |= 1
          signature[2 * size - 1]! |= 1
          expect(decodeEcdsaSignature(encodeEcdsaSignature(signature), size)).toEqual(signature)
        }),
        { numRuns: 100 },
      )
    }
  })

  it.each([
    ['an empty string', ''],
    ['a bare tag', '30'],
    ['an empty sequence', '3000'],
    ['one integer', '3003020101'],
    ['a third integer', '3009020101020101020101'],
    ['an element after the integers that is not an integer', '30080201010201010500'],
    ['bytes after the sequence', '300602010102010100'],
    ['a sequence length beyond the end', '3007020101020101'],
    ['an integer length beyond the end of the sequence', '3006020101020201'],
    ['a truncated integer', '30060201010201'],
    ['an empty integer', '30050200020101'],
    ['a padded integer', '300702020001020101'],
    ['a padded second integer', '300702010102020001'],
    ['a padded negative integer', '30070202ff80020101'],
    ['a long length form for a short length', '308106020101020101'],
    ['two length bytes for a short length', '30820006020101020101'],
    ['a long length form inside the sequence', '3007028101010201 01'.replace(' ', '')],
    ['an indefinite length', '30800201010201010000'],
    ['a length of eight bytes', '30880000000000000006020101020101'],
    ['a wrong tag for the sequence', '3106020101020101'],
    ['a wrong tag for an integer', '3006030101020101'],
    ['a negative first integer and a malformed second one', '30070201ff02020001'],
  ])('refuses %s', (_, der) => {
    expect(() => decodeEcdsaSignature(unhex(der), 32)).toThrow(refused)
  })

  it.each([
    ['a first integer of zero', '3006020100020101'],
    ['a second integer of zero', '3006020101020100'],
    ['a negative number', '3006020180020101'],
    ['minus one', '3006020101 0201ff'.replace(' ', '')],
    ['a number too large for the field', `3026022101${'00'.repeat(32)}020101`],
  ])('decodes %s as a signature that never verifies', (_, der) => {
    expect(decodeEcdsaSignature(unhex(der), 32)).toBeUndefined()
  })

  it('refuses two length bytes if one byte is enough', () => {
    const der = encodeEcdsaSignature(new Uint8Array(132).fill(1))
    expect(hex(der.subarray(0, 3))).toBe('308188')
    expect(decodeEcdsaSignature(der, 66)).toEqual(new Uint8Array(132).fill(1))
    expect(() => decodeEcdsaSignature(unhex(`30820088${hex(der.subarray(3))}`), 66)).toThrow(refused)
  })

  it('refuses any bytes that it would not write itself', () => {
    const nearly = fc.tuple(fc.nat(72), fc.nat(255)).map(([at, byte]) => {
      const der = encodeEcdsaSignature(unhex('ff'.repeat(64)))
      der[at % der.length] = byte
      return der
    })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), nearly), (der) => {
        try {
          const signature = decodeEcdsaSignature(der, 32)
          if (signature) expect(encodeEcdsaSignature(signature)).toEqual(der)
        } catch (error) {
          expect(error).toEqual(refused)
        }
      }),
      { numRuns: runs({ quick: 1_000, soak: 20_000 }) },
    )
  })
})

describe('PEM encoding', () => {
  it('writes 64-column lines with LF and a final newline', () => {
    expect(encodePem('PUBLIC KEY', new Uint8Array(49))).toBe(
      `-----BEGIN PUBLIC KEY-----\n${'A'.repeat(64)}\nAA==\n-----END PUBLIC KEY-----\n`,
    )
    expect(encodePem('X', new Uint8Array(48))).toBe(`-----BEGIN X-----\n${'A'.repeat(64)}\n-----END X-----\n`)
  })

  it('is decoded even with CRLF line ends and surrounding white space', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (der) => {
        const pem = encodePem('PUBLIC KEY', der)
        for (const text of [pem, pem.trim(), pem.replaceAll('\n', '\r\n'), `\n  ${pem}\n`])
          expect(decodePem('PUBLIC KEY', text)).toEqual(der)
      }),
    )
  })

  it.each([
    ['an empty string', ''],
    ['text without PEM lines', 'AAAA'],
    ['another label', encodePem('PRIVATE KEY', new Uint8Array(9))],
    ['two blocks', encodePem('PUBLIC KEY', new Uint8Array(9)).repeat(2)],
    ['text before it', `hello\n${encodePem('PUBLIC KEY', new Uint8Array(9))}`],
    ['headers', '-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END PUBLIC KEY-----\n'],
    ['an empty block', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n'],
    ['overlapping BEGIN and END lines', '-----BEGIN PUBLIC KEY-----END PUBLIC KEY-----'],
    ['missing padding', '-----BEGIN PUBLIC KEY-----\nAAA\n-----END PUBLIC KEY-----\n'],
    ['base64url characters', '-----BEGIN PUBLIC KEY-----\nAA-_\n-----END PUBLIC KEY-----\n'],
  ])('is refused for %s', (_, text) => {
    expect(() => decodePem('PUBLIC KEY', text)).toThrow(refused)
  })
})

describe('equalBytes', () => {
  it('compares contents and lengths', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(equalBytes(a, b)).toBe(hex(a) === hex(b))
        expect(equalBytes(a, a.slice())).toBe(true)
      }),
    )
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false)
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false)
  })
})
