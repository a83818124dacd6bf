/** The times of a token with the leeways of a jwt method: all combinations, compared with a second implementation of the rules. */
import { expect, it } from 'vitest'
import type { CryptoBackend } from '../../../../src/index.ts'
import { encode, P256, spkiPem, token } from '../../core/jwt/tokens.ts'
import { CRYPTO, logIn, NOW, refusalOf } from './logging-in.ts'

interface Times {
  readonly iat?: number | undefined
  readonly nbf?: number | undefined
  readonly exp?: number | undefined
}
interface Leeways {
  readonly expiration: number | undefined
  readonly notBefore: number | undefined
  readonly skew: number | undefined
}

const KEYS = { JWTValidationPubKeys: [spkiPem(P256)], JWTSupportedAlgs: ['ES256'] }

/** Absence and 0 mean the default, and a negative value means no leeway. */
function orDefault(leeway: number | undefined, preset: number): number {
  if (leeway === undefined || leeway === 0) return preset
  return leeway < 0 ? 0 : leeway
}

/** The arguments are offsets from now. */
function lets({ iat, nbf, exp }: Times, { expiration, notBefore, skew }: Leeways): boolean {
  if (iat === undefined && nbf === undefined && exp === undefined) return false
  const clocks = orDefault(skew, 60)
  const end = exp ?? Math.max(iat ?? -Infinity, nbf ?? -Infinity) + orDefault(expiration, 150)
  const beginning = nbf ?? iat ?? end - orDefault(notBefore, 150)
  return beginning <= clocks && end >= -clocks && (iat ?? 0) <= clocks
}

const OFFSETS = [undefined, -211, -156, -66, -61, -6, 0, 6, 61, 66, 156, 211]
const LEEWAYS = [undefined, 0, -1, 5]

const seconds = (value: number | undefined): string | undefined => (value === undefined ? undefined : `${value}s`)
const at = (offset: number | undefined): number | undefined => (offset === undefined ? undefined : NOW + offset)

/** Accepts every signature, because these tests concern times only. */
const TRUSTING: CryptoBackend = {
  ...CRYPTO,
  ecdsaVerify: () => ({
    shortBytes: Number.POSITIVE_INFINITY,
    verifyDigest: () => true,
    verifyMessage: () => true,
    *verifyMessageSteps() {
      yield
      return true
    },
  }),
}
const unsigned = (times: Times): string => `${encode({ alg: 'ES256' })}.${encode(times)}.${encode(new Uint8Array(64))}`

/** A leeway applies only if the claim that it replaces is absent. */
const leewaysFor = ({ iat, nbf, exp }: Times): readonly Leeways[] =>
  LEEWAYS.flatMap((skew) =>
    (exp === undefined ? LEEWAYS : [5]).flatMap((expiration) =>
      (nbf === undefined && iat === undefined ? LEEWAYS : [5]).map((notBefore) => ({ expiration, notBefore, skew })),
    ),
  )

it.each(OFFSETS)('jwt logins with iat %s and all other combinations of times match the reference rules', async (iat) => {
  const wrong: unknown[] = []
  for (const nbf of OFFSETS)
    for (const exp of OFFSETS)
      for (const leeways of leewaysFor({ iat, nbf, exp })) {
        const config = {
          ...KEYS,
          ExpirationLeeway: seconds(leeways.expiration),
          NotBeforeLeeway: seconds(leeways.notBefore),
          ClockSkewLeeway: seconds(leeways.skew),
        }
        const bearer = unsigned({ iat: at(iat), nbf: at(nbf), exp: at(exp) })
        const refusal = await refusalOf(logIn('jwt', config, bearer, { crypto: TRUSTING }))
        if ((refusal === undefined) !== lets({ iat, nbf, exp }, leeways)) wrong.push({ iat, nbf, exp, ...leeways, refusal })
      }
  expect(wrong).toEqual([])
})

it.each([
  ['a leeway of a fraction of a second', { ExpirationLeeway: '500ms', ClockSkewLeeway: '-1s' }, { iat: NOW - 0.4 }, undefined],
  [
    'a leeway of a fraction of a second that is over',
    { ExpirationLeeway: '500ms', ClockSkewLeeway: '-1s' },
    { iat: NOW - 0.6 },
    'expired',
  ],
  ['nanoseconds', { ExpirationLeeway: 10_000_000_000, ClockSkewLeeway: -1 }, { iat: NOW - 10 }, undefined],
  [
    'a leeway in nanoseconds that is over',
    { ExpirationLeeway: 10_000_000_000, ClockSkewLeeway: -1 },
    { iat: NOW - 11 },
    'expired',
  ],
  ['no times', {}, {}, 'times-missing'],
  ['times that are 0', {}, { iat: 0, nbf: 0, exp: 0 }, 'times-missing'],
  ['times that are null', {}, { iat: null, nbf: null, exp: null }, 'times-missing'],
  ['a time that is a string', {}, { iat: `${NOW}` }, 'claims-malformed'],
])('a jwt login is decided as in Consul with %s', async (_, leeways, claims, reason) => {
  expect(await refusalOf(logIn('jwt', { ...KEYS, ...leeways }, token('ES256', claims)))).toBe(reason)
})
