/** logins.json: who is let in by audience, issuer, times and signature. */
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ABSENT, type AclCase, aclVectors, vectorsPresent } from '../../../fixtures/acl-vectors.ts'
import { P256, type Pair, spkiPem, token } from '../../core/jwt/tokens.ts'
import { logIn, NOW, refusalOf } from './logging-in.ts'

interface LoginsCase extends AclCase {
  readonly config: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly allowed: boolean
  readonly key?: 'other'
}

const OTHER: Pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ISSUER = 'https://legit.issuer.internal/'
const TIMES = ['iat', 'nbf', 'exp']
const FROM_NOW = (claims: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, TIMES.includes(name) ? NOW + Number(value) : value]))

describe.skipIf(!vectorsPresent)(`logins ${ABSENT}`, () => {
  it.each(aclVectors<LoginsCase>('logins.json'))('$id $about', async ({ config, claims, allowed, key }) => {
    const keys = { JWTValidationPubKeys: [spkiPem(key ? OTHER : P256)], JWTSupportedAlgs: ['ES256'] }
    const bearer = token('ES256', { iss: ISSUER, aud: ['ours'], ...FROM_NOW(claims) })
    const login = logIn('jwt', { ...keys, BoundIssuer: ISSUER, BoundAudiences: ['ours'], ...config }, bearer)
    expect((await refusalOf(login)) === undefined).toBe(allowed)
  })
})
