import { describe, expect, it } from 'vitest'
import { decodeToken, encodeToken, newPad } from '../../../src/core/seal/token-pad.ts'
import { systemEntropy } from '../../../src/index.ts'
import fc from '../../fixtures/fast-check.ts'
import { decryptPgp, pgpGolden } from '../../fixtures/pgp.ts'
import { describeWithShared, readSharedJson } from '../../fixtures/shared-data.ts'

const GOLDEN = 'transcripts/openbao/golden/generate-root.json'
const refused = expect.objectContaining({ status: 400 })

describe('a token under a one-time pad', () => {
  // Computed from the documented formula.
  it.each([
    ['hvs.0123456789ABCDEFGHIJKLMN', 'abcdefghijklmnopqrstuvwxyzAB', 'CRQQSlVXVVtdX11bVVcuMjI2NjIyPj4yMjYMDA'],
    ['s.0123456789ABCDEFGHIJKLMN', 'abcdefghijklmnopqrstuvwxyz', 'EkxTVVdVU11fXVNVLCwsNDQ0NDw8PDw0NDQ'],
    ['hvs.0123456789abcdefghijABCD', '2vPFYG8gUSW9npwzyvxXMug01234', 'WgAjaGl2ClRhZmEOVkkWGBoSHT4qHQ5acHBwcA'],
    ['s.0123456789abcdefghijABCD', '2vPFYG8gUSW9npwzyvxXMug012', 'QVhgd2t0DFJjZG8ADxIUHhwQHzAkHyZycnY'],
  ])('is encoded and decoded: %s', (token, otp, encoded) => {
    expect(encodeToken(token, otp)).toBe(encoded)
    expect(decodeToken(encoded, otp)).toBe(token)
    expect(decodeToken(Buffer.from(encoded, 'base64').toString('base64'), otp)).toBe(token)
  })

  it('is decoded to the original for any text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (token) => {
        const otp = 'x'.repeat(Buffer.byteLength(token))
        expect(decodeToken(encodeToken(token, otp), otp)).toBe(token)
      }),
    )
  })

  it('has a new random pad of 26 characters each time', () => {
    const pads = Array.from({ length: 100 }, () => newPad(systemEntropy()))
    for (const pad of pads) expect(pad).toMatch(/^[0-9A-Za-z]{26}$/)
    expect(new Set(pads).size).toBe(100)
  })

  it.each([
    ['', 'ab'],
    ['ExM', ''],
    ['ExM', 'abc'],
    ['!!', 'ab'],
    ['ExM==', 'ab'],
    ['A', 'a'],
    ['FPzkNBvwNDeFh4SmGA8c+w==', 'Km8KrlP8ocn73xM8otgzIw='],
  ])('is not decoded from %j with the pad %j', (encoded, otp) => {
    expect(() => decodeToken(encoded, otp)).toThrow(refused)
  })
})

describeWithShared(GOLDEN, 'token encoding compared with OpenBao recordings', () => {
  const golden = readSharedJson<Golden>(GOLDEN)

  it('decodes the recorded tokens, and encodes them to the recorded text', () => {
    expect(golden.otp.length + golden.code.length).toBe(7)
    for (const { otp, otp_length, encoded_token, token } of [...golden.otp, ...golden.code]) {
      expect(decodeToken(encoded_token, otp)).toBe(token)
      if (otp_length > 0) expect(encodeToken(token, otp)).toBe(encoded_token)
    }
  })

  it('refuses the inputs that OpenBao refuses', () => {
    expect(golden.refused).toHaveLength(5)
    for (const { what, otp, token, encoded_token } of golden.refused)
      expect(() => (token === undefined ? decodeToken(encoded_token ?? '', otp) : encodeToken(token, otp)), what).toThrow(refused)
  })

  it('decrypts recorded tokens with the PGP key for which they were encrypted', async () => {
    expect(golden.pgp).toHaveLength(2)
    for (const { key, encoded_token, token } of golden.pgp) {
      const secret = pgpGolden?.keys[key].secret as string
      expect(await decryptPgp(new Uint8Array(Buffer.from(encoded_token, 'base64')), secret)).toBe(token)
    }
  })
})

interface Pair {
  readonly otp: string
  readonly otp_length: number
  readonly encoded_token: string
  readonly token: string
}
interface Golden {
  readonly otp: readonly Pair[]
  readonly code: readonly Pair[]
  readonly refused: readonly {
    readonly what: string
    readonly otp: string
    readonly token?: string
    readonly encoded_token?: string
  }[]
  readonly pgp: readonly { readonly key: 'one' | 'two'; readonly encoded_token: string; readonly token: string }[]
}
