/** Expected results are those documented for Vault's Kubernetes auth method. Times are seconds relative to a fixed moment. */
import { describe, expect, it } from 'vitest'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { checkTimes } from '../../../../src/core/jwt/times.ts'
import { encode, reasonOf } from './tokens.ts'

const NOW = 1_800_000_000

/** Returns undefined for valid times. The claims are parsed from a token, so that numbers are read exactly. */
function reason(claims: string, now: number = NOW): string | undefined {
  const jwt = parseJwt(`${encode({ alg: 'ES256' })}.${encode(claims)}.AAAA`)
  return reasonOf(() => checkTimes(jwt.claims, now * 1000))
}
const claimsText = (iat?: number, nbf?: number, exp?: number): string => JSON.stringify({ iat, nbf, exp })

describe('a token with iat, nbf and exp', () => {
  it.each([
    ['accepted while it is valid', NOW - 10, NOW - 10, NOW + 600, undefined],
    ['accepted 60 seconds after exp', NOW - 600, NOW - 600, NOW - 60, undefined],
    ['refused 61 seconds after exp', NOW - 600, NOW - 600, NOW - 61, 'expired'],
    ['accepted 60 seconds before nbf', NOW - 10, NOW + 60, NOW + 600, undefined],
    ['refused 61 seconds before nbf', NOW - 10, NOW + 61, NOW + 600, 'not-yet-valid'],
    ['accepted 60 seconds before iat', NOW + 60, NOW - 10, NOW + 600, undefined],
    ['refused 61 seconds before iat', NOW + 61, NOW - 10, NOW + 600, 'issued-in-future'],
    ['refused as not yet valid if iat and nbf are both in the future', NOW + 61, NOW + 61, NOW + 600, 'not-yet-valid'],
    ['refused as expired if iat is in the future and exp is past', NOW + 61, NOW - 600, NOW - 61, 'expired'],
    ['refused as not yet valid if nbf is in the future and exp is past', NOW - 600, NOW + 61, NOW - 61, 'not-yet-valid'],
    ['refused as expired if exp is before nbf and both are past', NOW - 600, NOW - 500, NOW - 505, 'expired'],
  ])('is %s', (_, iat, nbf, exp, expected) => {
    expect(reason(claimsText(iat, nbf, exp))).toBe(expected)
  })
})

describe('a token that lacks iat, nbf or exp', () => {
  it.each([
    ['accepted without all three', claimsText(), undefined],
    ['accepted if all three are 0', '{"iat":0,"nbf":0,"exp":0}', undefined],
    ['accepted if all three are null', '{"iat":null,"nbf":null,"exp":null}', undefined],
    ['accepted if all three are 0 in other notations', '{"iat":-0,"nbf":0.0,"exp":0e5}', undefined],
    // Without `exp` a token is valid until 150 seconds after the later of `iat` and `nbf`, plus 60 seconds of clock skew.
    ['accepted without exp 210 seconds after iat and nbf', claimsText(NOW - 210, NOW - 210), undefined],
    ['refused without exp 211 seconds after iat and nbf', claimsText(NOW - 211, NOW - 211), 'expired'],
    ['accepted without exp 210 seconds after nbf if nbf is later than iat', claimsText(NOW - 900, NOW - 210), undefined],
    ['accepted without exp 210 seconds after iat if iat is later than nbf', claimsText(NOW - 210, NOW - 900), undefined],
    ['accepted without exp and nbf 210 seconds after iat', claimsText(NOW - 210), undefined],
    ['refused without exp and nbf 211 seconds after iat', claimsText(NOW - 211), 'expired'],
    ['accepted without exp and iat 210 seconds after nbf', claimsText(undefined, NOW - 210), undefined],
    ['refused without exp and iat 211 seconds after nbf', claimsText(undefined, NOW - 211), 'expired'],
    ['refused without exp and iat 61 seconds before nbf', claimsText(undefined, NOW + 61), 'not-yet-valid'],
    // Without `nbf` a token is valid from `iat`.
    ['accepted without nbf 60 seconds before iat', claimsText(NOW + 60, undefined, NOW + 600), undefined],
    ['refused without nbf 61 seconds before iat', claimsText(NOW + 61, undefined, NOW + 600), 'not-yet-valid'],
    ['accepted without nbf long after iat', claimsText(NOW - 900_000, undefined, NOW + 900_000), undefined],
    // Without `iat` and `nbf` a token is valid from 150 seconds before `exp`, so a distant `exp` is refused.
    ['accepted without iat', claimsText(undefined, NOW - 10, NOW + 600), undefined],
    ['accepted without iat and nbf 210 seconds before exp', claimsText(undefined, undefined, NOW + 210), undefined],
    ['refused without iat and nbf 211 seconds before exp', claimsText(undefined, undefined, NOW + 211), 'not-yet-valid'],
    ['accepted without iat and nbf 60 seconds after exp', claimsText(undefined, undefined, NOW - 60), undefined],
    ['refused without iat and nbf 61 seconds after exp', claimsText(undefined, undefined, NOW - 61), 'expired'],
  ])('is %s', (_, claims, expected) => {
    expect(reason(claims)).toBe(expected)
  })
})

describe('a token with unusual numbers in iat, nbf or exp', () => {
  it.each([
    ['accepted with fractions', `{"iat":${NOW - 10}.25,"nbf":${NOW - 10}.5,"exp":${NOW + 600}.75}`, undefined],
    ['refused 60.5 seconds after exp', `{"iat":${NOW - 600},"exp":${NOW - 61}.5}`, 'expired'],
    ['accepted 59.5 seconds after exp', `{"iat":${NOW - 600},"exp":${NOW - 60}.5}`, undefined],
    ['accepted with exponents', `{"iat":1.7e9,"exp":4e9}`, undefined],
    ['refused with a negative exp', `{"iat":${NOW},"nbf":${NOW},"exp":-1}`, 'expired'],
    ['accepted with a negative nbf', `{"nbf":-1,"exp":${NOW + 600}}`, undefined],
    ['accepted with an exp beyond 2^53', `{"iat":${NOW},"exp":9007199254740993}`, undefined],
    ['accepted with an exp beyond 2^64', `{"iat":${NOW},"exp":${'9'.repeat(300)}}`, undefined],
    ['refused with an nbf beyond 2^64', `{"nbf":${'9'.repeat(300)}}`, 'not-yet-valid'],
    ['refused with an iat beyond 2^64', `{"iat":${'9'.repeat(300)},"nbf":1,"exp":4e9}`, 'issued-in-future'],
    ['refused with an exp below -2^64', `{"exp":-${'9'.repeat(300)}}`, 'expired'],
    [
      'refused with the largest double as exp and iat',
      '{"exp":1.7976931348623157e308,"iat":1.7976931348623157e308}',
      'not-yet-valid',
    ],
  ])('is %s', (_, claims, expected) => {
    expect(reason(claims)).toBe(expected)
  })

  it('is refused one millisecond outside the leeway of 60 seconds', () => {
    expect(reason(claimsText(NOW - 600, NOW - 600, NOW - 60), NOW + 0.001)).toBe('expired')
    expect(reason(claimsText(NOW - 600, NOW + 60, NOW + 600), NOW - 0.001)).toBe('not-yet-valid')
  })
})

describe('a token with a time claim that is not a number', () => {
  const values = ['"soon"', '"4070908800"', '""', '[]', '[4070908800]', '{}', 'true', 'false']
  it.each(['iat', 'nbf', 'exp'].flatMap((name) => values.map((value) => [name, value] as const)))(
    'is refused as malformed for %s: %s',
    (name, value) => {
      const others = { iat: NOW, nbf: NOW, exp: NOW + 600 }
      const text = JSON.stringify({ ...others, [name]: '@' }).replace('"@"', value)
      expect(reason(text)).toBe('claims-malformed')
      expect(reason(`{"${name}":${value}}`)).toBe('claims-malformed')
    },
  )
})

it('checkTimes accepts the tokens from the tests of the Vault Kubernetes plugin only while they are valid', () => {
  // A projected token from the tests of Vault's Kubernetes auth plugin, valid for ten minutes.
  const short = claimsText(1604083286, 1604083286, 1604083886)
  expect(reason(short, 1604083886 + 60)).toBeUndefined()
  expect(reason(short, 1604083886 + 61)).toBe('expired')
  expect(reason(claimsText(1604082797, 1604082797, 1920082797), 1604082797 - 60)).toBeUndefined()
  expect(reason(claimsText(1604082797, 1604082797, 1920082797), 1604082797 - 61)).toBe('not-yet-valid')
})
