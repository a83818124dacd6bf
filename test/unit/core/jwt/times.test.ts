/** When a token is good, in seconds around a fixed moment. The cases are those of the reference, not of the code. */
import { describe, expect, it } from 'vitest'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { checkTimes } from '../../../../src/core/jwt/times.ts'
import { encode, reasonOf } from './tokens.ts'

const NOW = 1_800_000_000

/** Undefined: good. Through a token, so that the numbers are read as they are written. */
function reason(claims: string, now: number = NOW): string | undefined {
  const jwt = parseJwt(`${encode({ alg: 'ES256' })}.${encode(claims)}.AAAA`)
  return reasonOf(() => checkTimes(jwt.claims, now * 1000))
}
const given = (iat?: number, nbf?: number, exp?: number): string => JSON.stringify({ iat, nbf, exp })

describe('all three', () => {
  it.each([
    ['good', NOW - 10, NOW - 10, NOW + 600, undefined],
    ['over, within what clocks may differ by', NOW - 600, NOW - 600, NOW - 60, undefined],
    ['over', NOW - 600, NOW - 600, NOW - 61, 'expired'],
    ['not begun, within what clocks may differ by', NOW - 10, NOW + 60, NOW + 600, undefined],
    ['not begun', NOW - 10, NOW + 61, NOW + 600, 'not-yet-valid'],
    ['issued later, within what clocks may differ by', NOW + 60, NOW - 10, NOW + 600, undefined],
    ['issued later', NOW + 61, NOW - 10, NOW + 600, 'issued-in-future'],
    ['issued and begun later', NOW + 61, NOW + 61, NOW + 600, 'not-yet-valid'],
    ['issued later and over', NOW + 61, NOW - 600, NOW - 61, 'expired'],
    ['begun later and over', NOW - 600, NOW + 61, NOW - 61, 'not-yet-valid'],
    ['over before it begins, all past', NOW - 600, NOW - 500, NOW - 505, 'expired'],
  ])('%s', (_, iat, nbf, exp, expected) => {
    expect(reason(given(iat, nbf, exp))).toBe(expected)
  })
})

describe('some are absent', () => {
  it.each([
    ['all', given(), undefined],
    ['all but zeros', '{"iat":0,"nbf":0,"exp":0}', undefined],
    ['all but nulls', '{"iat":null,"nbf":null,"exp":null}', undefined],
    ['all but zeros written otherwise', '{"iat":-0,"nbf":0.0,"exp":0e5}', undefined],
    // Without an end: 150 seconds after the later of the others, and 60 for clocks.
    ['exp, at the end', given(NOW - 210, NOW - 210), undefined],
    ['exp, after it', given(NOW - 211, NOW - 211), 'expired'],
    ['exp, the later counts', given(NOW - 900, NOW - 210), undefined],
    ['exp, whichever it is', given(NOW - 210, NOW - 900), undefined],
    ['exp and nbf', given(NOW - 210), undefined],
    ['exp and nbf, after it', given(NOW - 211), 'expired'],
    ['exp and iat', given(undefined, NOW - 210), undefined],
    ['exp and iat, after it', given(undefined, NOW - 211), 'expired'],
    ['exp and iat, not begun', given(undefined, NOW + 61), 'not-yet-valid'],
    // Without a beginning: when it was issued.
    ['nbf', given(NOW + 60, undefined, NOW + 600), undefined],
    ['nbf, issued later', given(NOW + 61, undefined, NOW + 600), 'not-yet-valid'],
    ['nbf, long good', given(NOW - 900_000, undefined, NOW + 900_000), undefined],
    // And 150 seconds before its end where neither is said: so an end far ahead is refused.
    ['iat', given(undefined, NOW - 10, NOW + 600), undefined],
    ['iat and nbf', given(undefined, undefined, NOW + 210), undefined],
    ['iat and nbf, an end far ahead', given(undefined, undefined, NOW + 211), 'not-yet-valid'],
    ['iat and nbf, an end that is past', given(undefined, undefined, NOW - 60), undefined],
    ['iat and nbf, an end that is long past', given(undefined, undefined, NOW - 61), 'expired'],
  ])('%s', (_, claims, expected) => {
    expect(reason(claims)).toBe(expected)
  })
})

describe('numbers of other kinds', () => {
  it.each([
    ['fractions', `{"iat":${NOW - 10}.25,"nbf":${NOW - 10}.5,"exp":${NOW + 600}.75}`, undefined],
    ['a fraction that is over', `{"iat":${NOW - 600},"exp":${NOW - 61}.5}`, 'expired'],
    ['a fraction that is not', `{"iat":${NOW - 600},"exp":${NOW - 60}.5}`, undefined],
    ['exponents', `{"iat":1.7e9,"exp":4e9}`, undefined],
    ['a negative end', `{"iat":${NOW},"nbf":${NOW},"exp":-1}`, 'expired'],
    ['a negative beginning', `{"nbf":-1,"exp":${NOW + 600}}`, undefined],
    ['an end beyond 2^53', `{"iat":${NOW},"exp":9007199254740993}`, undefined],
    ['an end beyond 2^64', `{"iat":${NOW},"exp":${'9'.repeat(300)}}`, undefined],
    ['a beginning beyond 2^64', `{"nbf":${'9'.repeat(300)}}`, 'not-yet-valid'],
    ['issued beyond 2^64', `{"iat":${'9'.repeat(300)},"nbf":1,"exp":4e9}`, 'issued-in-future'],
    ['an end before all time', `{"exp":-${'9'.repeat(300)}}`, 'expired'],
    ['the largest double', '{"exp":1.7976931348623157e308,"iat":1.7976931348623157e308}', 'not-yet-valid'],
  ])('%s', (_, claims, expected) => {
    expect(reason(claims)).toBe(expected)
  })

  it('a moment between two seconds', () => {
    expect(reason(given(NOW - 600, NOW - 600, NOW - 60), NOW + 0.001)).toBe('expired')
    expect(reason(given(NOW - 600, NOW + 60, NOW + 600), NOW - 0.001)).toBe('not-yet-valid')
  })
})

describe('no numbers', () => {
  const values = ['"soon"', '"4070908800"', '""', '[]', '[4070908800]', '{}', 'true', 'false']
  it.each(['iat', 'nbf', 'exp'].flatMap((name) => values.map((value) => [name, value] as const)))('%s: %s', (name, value) => {
    const others = { iat: NOW, nbf: NOW, exp: NOW + 600 }
    const text = JSON.stringify({ ...others, [name]: '@' }).replace('"@"', value)
    expect(reason(text)).toBe('claims-malformed')
    expect(reason(`{"${name}":${value}}`)).toBe('claims-malformed')
  })
})

it('tokens of the originals tests, then and now', () => {
  // Test data of the first implementation: a projected token that ended after ten minutes.
  const short = given(1604083286, 1604083286, 1604083886)
  expect(reason(short, 1604083886 + 60)).toBeUndefined()
  expect(reason(short, 1604083886 + 61)).toBe('expired')
  expect(reason(given(1604082797, 1604082797, 1920082797), 1604082797 - 60)).toBeUndefined()
  expect(reason(given(1604082797, 1604082797, 1920082797), 1604082797 - 61)).toBe('not-yet-valid')
})
