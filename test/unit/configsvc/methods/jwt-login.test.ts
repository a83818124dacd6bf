/** Logins to a jwt method: which are accepted, the resulting identity, and the work that unauthenticated callers can cause. */
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BACKENDS } from '../../../fixtures/backends.ts'
import { countingCrypto } from '../../../fixtures/counting-crypto.ts'
import { nextRsaPair } from '../../../fixtures/rsa-keys.ts'
import { certificatePem, encode, NINE, P256, P384, P521, type Pair, RSA, spkiPem, token } from '../../core/jwt/tokens.ts'
import { CRYPTO, logIn, NOW, refusalOf, strangersAllowance } from './logging-in.ts'

const KEYS = [RSA, P256, P384, P521].map(spkiPem)
const ALL = NINE.map(([alg]) => alg)
const TIMES = { iat: NOW }
const OTHERS: Readonly<Record<string, Pair>> = {
  RS: nextRsaPair(),
  PS: nextRsaPair(),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
}

describe.each(BACKENDS)('a jwt login, with the cryptography of $name,', (crypto) => {
  it.each(ALL)('accepts a valid %s signature only if the method allows this algorithm', async (alg) => {
    const others = ALL.filter((candidate) => candidate !== alg)
    const good = token(alg, TIMES)
    const to = (JWTSupportedAlgs: readonly string[], bearer = good) =>
      refusalOf(logIn('jwt', { JWTValidationPubKeys: KEYS, JWTSupportedAlgs }, bearer, { crypto }))
    expect(await to([alg])).toBeUndefined()
    expect(await to(ALL)).toBeUndefined()
    expect(await to(others)).toBe('algorithm-not-allowed')
    expect(await to([])).toBe(alg === 'RS256' ? undefined : 'algorithm-not-allowed')
    const other = OTHERS[alg] ?? OTHERS[alg.slice(0, 2)]
    expect(await to([alg], token(alg, TIMES, { alg }, other?.privateKey))).toBe('signature-invalid')
    const [header, , signature] = good.split('.')
    expect(await to([alg], `${header}.${encode({ ...TIMES, more: 1 })}.${signature}`)).toBe('signature-invalid')
  })
})

const CONFIG = { JWTValidationPubKeys: [spkiPem(P256)], JWTSupportedAlgs: ['ES256'] }
const reasonOf = (claims: unknown, more: object = {}) =>
  refusalOf(logIn('jwt', { ...CONFIG, ...more }, token('ES256', { ...TIMES, ...(claims as object) })))

it('a jwt login verifies the signature with the key of a certificate', async () => {
  const config = { ...CONFIG, JWTValidationPubKeys: [certificatePem(P256)] }
  expect(await refusalOf(logIn('jwt', config, token('ES256', TIMES)))).toBeUndefined()
})

it.each([
  ['the bound issuer', { iss: 'a' }, { BoundIssuer: 'a' }, undefined],
  ['another issuer', { iss: 'b' }, { BoundIssuer: 'a' }, 'issuer-mismatch'],
  ['no issuer', {}, { BoundIssuer: 'a' }, 'issuer-mismatch'],
  ['any issuer if BoundIssuer is absent', { iss: 'b' }, {}, undefined],
  ['any issuer if the bound issuer is empty', { iss: 'b' }, { BoundIssuer: '' }, undefined],
  ['a single audience', { aud: 'a' }, { BoundAudiences: ['b', 'a'] }, undefined],
  ['no audience if BoundAudiences is set', {}, { BoundAudiences: ['a'] }, 'audience-mismatch'],
  ['no audience if BoundAudiences is absent', {}, {}, undefined],
  ['an empty list of audiences', { aud: [] }, {}, undefined],
  ['an audience that is null', { aud: null }, {}, undefined],
  ['an audience if BoundAudiences is absent', { aud: 'a' }, {}, 'audience-mismatch'],
  ['an audience that is a number', { aud: 7 }, { BoundAudiences: ['7'] }, 'claims-malformed'],
])('a jwt login is decided as in Consul with %s', async (_, claims, more, reason) => {
  expect(await reasonOf(claims, more)).toBe(reason)
})

describe('the claims of a jwt login', () => {
  const fieldsOf = async (claims: object, ClaimMappings: object, ListClaimMappings: object = {}) =>
    (await logIn('jwt', { ...CONFIG, ClaimMappings, ListClaimMappings }, token('ES256', JSON.stringify({ ...TIMES, ...claims }))))
      .selectable

  it('can be named by a JSON pointer with escaped slashes and tildes', async () => {
    const claims = { 'a/b': { 'c~d': 'x' }, 'https://issuer/group': 'g', '': { '': 'empty' } }
    const mappings = { '/a~1b/c~0d': 'one', 'https://issuer/group': 'two', '//': 'three' }
    expect(await fieldsOf(claims, mappings)).toMatchObject({ value: { one: 'x', two: 'g', three: 'empty' } })
  })

  it.each(['/list/01', '/list/-', '/list/2', '/list/length', '/text/0', '/text/length', 'list/0', '/toString', 'constructor'])(
    'contain nothing under the name %s',
    async (source) => {
      expect(await fieldsOf({ list: ['a', 'b'], text: 'abc' }, { [source]: 'x' }, { [source]: 'x' })).toEqual({
        value: {},
        list: {},
      })
    },
  )

  it('keep every digit of an integer when they become variables', async () => {
    const bearer = token('ES256', `{"iat":${NOW},"n":12345678901234567890,"m":-0.5,"f":1e21}`)
    const config = { ...CONFIG, ClaimMappings: { n: 'n', m: 'm', f: 'f' } }
    expect((await logIn('jwt', config, bearer)).variables).toEqual({
      'value.n': '12345678901234567890',
      'value.m': '0',
      'value.f': '1000000000000000000000',
    })
  })

  it('can be mapped to the names __proto__ and toString', async () => {
    const mappings = JSON.parse('{"a":"__proto__","b":"toString"}')
    const { selectable, variables } = await logIn(
      'jwt',
      { ...CONFIG, ClaimMappings: mappings },
      token('ES256', { ...TIMES, a: 'x' }),
    )
    expect(Object.entries('value' in selectable ? selectable.value : {})).toEqual([['__proto__', 'x']])
    expect(variables).toEqual({ 'value.__proto__': 'x', 'value.toString': '' })
  })

  it.each([
    ['null', { a: null }, { a: 'x' }, {}],
    ['a list', { a: [] }, { a: 'x' }, {}],
    ['null in place of a list', { a: null }, {}, { a: 'x' }],
    ['null in a list', { a: [null] }, {}, { a: 'x' }],
    ['a list in a list', { a: [['b']] }, {}, { a: 'x' }],
    ['an object in a list', { a: [{}] }, {}, { a: 'x' }],
  ])('a jwt login is refused if a mapped claim is %s', async (_, claims, ClaimMappings, ListClaimMappings) => {
    expect(await reasonOf(claims, { ClaimMappings, ListClaimMappings })).toBe('claims-malformed')
  })
})

describe('unauthenticated callers of a jwt login', () => {
  const MAX_KEYS = Array.from({ length: 32 }, () => spkiPem(generateKeyPairSync('ec', { namedCurve: 'P-521' })))
  const FORGED = `${encode({ alg: 'ES512' })}.${encode(TIMES)}.${encode(new Uint8Array(132).fill(1))}`

  it.each([
    ['token-too-large', 'x'.repeat(16_385)],
    ['token-malformed', 'a.b.c'],
    ['token-malformed', ''],
    ['algorithm-not-allowed', `${encode({ alg: 'none' })}.${encode(TIMES)}.AAAA`],
    ['algorithm-not-allowed', `${encode({ alg: 'HS256' })}.${encode(TIMES)}.AAAA`],
    ['times-missing', `${encode({ alg: 'ES512' })}.${encode({})}.AAAA`],
    ['expired', `${encode({ alg: 'ES512' })}.${encode({ exp: 1 })}.AAAA`],
    ['issuer-mismatch', `${encode({ alg: 'ES512' })}.${encode(TIMES)}.AAAA`],
    ['audience-mismatch', `${encode({ alg: 'ES512' })}.${encode({ ...TIMES, iss: 'a', aud: 'b' })}.AAAA`],
  ])('cause no signature verification with a token that is refused as %s', async (reason, bearer) => {
    const { crypto, counts } = countingCrypto(CRYPTO)
    const config = { JWTValidationPubKeys: MAX_KEYS, JWTSupportedAlgs: ['ES512'], BoundIssuer: 'a' }
    expect(await refusalOf(logIn('jwt', config, bearer, { crypto }))).toBe(reason)
    expect(counts.verified).toBe(0)
  })

  it('share one limit on failed verifications, which logins with a valid token do not use up', async () => {
    const { crypto, counts } = countingCrypto(CRYPTO)
    const allowance = strangersAllowance()
    const config = { JWTValidationPubKeys: MAX_KEYS, JWTSupportedAlgs: ['ES512'] }
    const forge = () => logIn('jwt', config, FORGED, { crypto, allowance })
    for (let time = 0; time < 20; time++) await logIn('jwt', CONFIG, token('ES256', TIMES), { allowance })
    expect(await refusalOf(forge())).toBe('signature-invalid')
    expect(await refusalOf(forge())).toBe('signature-invalid')
    await expect(forge()).rejects.toMatchObject({ status: 429 })
    // Each try with a P-521 key costs 12 of 1000.
    expect(counts.verified).toBe(83)
  })
})
