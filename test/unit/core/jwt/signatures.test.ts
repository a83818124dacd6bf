import { constants, createHmac, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { nobleCrypto } from '../../../../src/core/crypto/noble/index.ts'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { VerificationKeys } from '../../../../src/core/jwt/verification-keys.ts'
import { anyCharacter } from '../../../fixtures/any-character.ts'
import { BACKENDS } from '../../../fixtures/backends.ts'
import fc from '../../../fixtures/fast-check.ts'
import { runs } from '../../../fixtures/runs.ts'
import {
  certificatePem,
  derSignature,
  encode,
  NINE,
  type Nine,
  P256,
  P384,
  P521,
  type Pair,
  RSA,
  reasonOf,
  signature,
  spkiDer,
  spkiPem,
  token,
} from './tokens.ts'
import { verifies, verifiesSoon } from './verifies.ts'

const RUNS = runs({ quick: 100, soak: 20_000 })
const noble = nobleCrypto({ accelerate: false })
const keysOf = (...pems: readonly string[]): VerificationKeys => VerificationKeys.of(pems, 'pem_keys', noble)
const verified = (jwt: string, keys: VerificationKeys): boolean => verifies(parseJwt(jwt), keys)
const ALL = keysOf(spkiPem(RSA), spkiPem(P256), spkiPem(P384), spkiPem(P521))

describe.each(BACKENDS)('verification of a valid signature by $name', (crypto) => {
  describe.each(NINE)('with %s', (alg, _, pair) => {
    it.each([
      ['an SPKI block', spkiPem],
      ['a certificate', certificatePem],
    ])('succeeds with the key in %s, but fails if the signed bytes differ', async (_form, pem) => {
      const keys = VerificationKeys.of([pem(pair)], 'pem_keys', crypto)
      const jwt = parseJwt(token(alg, { sub: 'web' }))
      expect(await verifiesSoon(jwt, keys)).toBe(true)
      expect(await verifiesSoon(jwt, keys)).toBe(true)
      const otherJwt = parseJwt(token(alg, { sub: 'admin' }))
      expect(await verifiesSoon({ ...jwt, signed: otherJwt.signed }, keys)).toBe(false)
    })
  })
})

describe('several verification keys', () => {
  it.each(NINE)('accept a %s signature that any of them verifies, whatever key the header names', (alg) => {
    expect(verified(token(alg), ALL)).toBe(true)
    expect(verified(token(alg, {}, { alg, kid: 'the first', jku: 'https://evil.example', jwk: {} }), ALL)).toBe(true)
  })

  it('refuse a token whose signature none of them verifies', () => {
    for (const [alg] of NINE) expect(verified(token(alg), keysOf())).toBe(false)
    expect(verified(token('RS256'), keysOf(spkiPem(P256), spkiPem(P384), spkiPem(P521)))).toBe(false)
    expect(verified(token('ES256'), keysOf(spkiPem(RSA), spkiPem(P384), spkiPem(P521)))).toBe(false)
  })
})

describe('JSON Web Token signature verification', () => {
  /** A token signed with `alg` whose header names another algorithm. */
  const disguised = (header: string, alg: Nine): string => token(alg, {}, { alg: header })

  it.each(NINE)('fails for a %s signature under the header of any other algorithm', (alg) => {
    for (const [other] of NINE) expect(verified(disguised(other, alg), ALL)).toBe(other === alg)
  })

  it.each(['HS256', 'HS384', 'HS512'])('fails for an %s signature whose HMAC secret is a public key', (alg) => {
    for (const pair of [RSA, P256]) {
      const text = `${encode({ alg })}.${encode({})}`
      for (const secret of [spkiPem(pair), spkiPem(pair).trim(), spkiDer(pair)]) {
        const mac = createHmac(alg.replace('HS', 'sha'), secret).update(text).digest()
        expect(reasonOf(() => parseJwt(`${text}.${encode(mac)}`))).toBe('algorithm-not-allowed')
        for (const [real] of NINE) {
          const renamed = `${encode({ alg: real })}.${encode({})}`
          const forged = createHmac('sha256', secret).update(renamed).digest()
          expect(verified(`${renamed}.${encode(forged)}`, ALL)).toBe(false)
        }
      }
    }
  })

  it('fails if the signing key is on another curve than the algorithm requires', () => {
    const curves = { ES256: P256, ES384: P384, ES512: P521 } as const
    for (const [alg, own] of Object.entries(curves) as readonly (readonly [Nine, Pair])[])
      for (const pair of Object.values(curves)) expect(verified(token(alg, {}, { alg }, pair.privateKey), ALL)).toBe(pair === own)
  })

  it('fails for an ECDSA signature in DER form', () => {
    for (const [alg, digest, pair] of NINE.filter(([name]) => name.startsWith('ES'))) {
      const text = `${encode({ alg })}.${encode({})}`
      expect(verified(`${text}.${encode(derSignature(digest, text, pair.privateKey))}`, ALL)).toBe(false)
    }
  })

  it('fails for a PSS signature whose salt is not as long as the digest', () => {
    const text = `${encode({ alg: 'PS256' })}.${encode({})}`
    const salted = (saltLength: number) =>
      sign('sha256', Buffer.from(text), { key: RSA.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
    for (const [saltLength, good] of [
      [32, true],
      [0, false],
      [20, false],
      [31, false],
      [33, false],
      [64, false],
      [222, false],
    ] as const)
      expect(verified(`${text}.${encode(salted(saltLength))}`, ALL)).toBe(good)
  })

  it.each(NINE)('fails for a %s signature of the wrong length or of one repeated byte', (alg) => {
    const text = `${encode({ alg })}.${encode({})}`
    const good = signature(alg, text)
    const { length } = good
    const longer = (extra: number) => Buffer.concat([good, Buffer.alloc(extra)])
    const zeroFirst = Buffer.concat([Buffer.alloc(1), good])
    for (const bytes of [good.subarray(1), good.subarray(0, -1), good.subarray(0, 1), longer(1), longer(length), zeroFirst])
      expect(verified(`${text}.${encode(bytes)}`, ALL)).toBe(false)
    for (const byte of [0, 1, 0x7f, 0xff]) expect(verified(`${text}.${encode(Buffer.alloc(length, byte))}`, ALL)).toBe(false)
    expect(verified(`${text}.${encode(good)}`, ALL)).toBe(true)
  })
})

describe('a modified valid token', () => {
  const claims = { sub: 'system:serviceaccount:prod:web', exp: 4070908800, 'kubernetes.io': { namespace: 'prod' } }

  /** A changed token must be refused as malformed or fail signature verification. */
  const holds = (changed: string) => reasonOf(() => expect(verified(changed, ALL)).toBe(false))

  it('is refused when it is truncated at any position', () => {
    for (const alg of ['RS256', 'ES256'] as const) {
      const jwt = token(alg, claims)
      for (let length = 0; length < jwt.length; length += alg === 'RS256' ? 1 : 7) holds(jwt.slice(0, length))
      for (let from = 1; from < jwt.length; from += alg === 'RS256' ? 1 : 7) holds(jwt.slice(from))
    }
  })

  // White space and padding are ignored by the parser, so they would not change the token (see parse.test.ts).
  const character = fc.oneof(
    fc.constantFrom(...'ABCxyz019-_.+/', ''),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 2 }).filter((text) => !/[\t\n\v\f\r =]/.test(text)),
  )

  it.each([
    ['RS256', RUNS],
    ['PS512', RUNS / 10],
    ['ES256', RUNS / 20],
    ['ES512', RUNS / 50],
  ] as const)('is refused after characters are replaced or inserted (%s)', (alg, numRuns) => {
    const jwt = token(alg, claims)
    const property = fc.property(fc.nat(jwt.length), fc.nat(2), character, (at, cut, put) => {
      const changed = jwt.slice(0, at) + put + jwt.slice(at + cut)
      fc.pre(changed !== jwt)
      holds(changed)
    })
    fc.assert(property, { numRuns })
  })

  it.each([
    ['RS256', RUNS],
    ['ES256', RUNS / 20],
  ] as const)('is refused after a bit flip in any decoded part (%s)', (alg, numRuns) => {
    const parts = token(alg, claims).split('.')
    const property = fc.property(fc.nat(2), fc.nat(), fc.nat(7), (part, at, bit) => {
      const bytes = Buffer.from(parts[part] as string, 'base64url')
      bytes[at % bytes.length]! ^= 1 << bit
      holds(parts.with(part, bytes.toString('base64url')).join('.'))
    })
    fc.assert(property, { numRuns })
  })
})
