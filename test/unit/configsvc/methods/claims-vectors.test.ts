/** claims.json: what becomes of the claims of a token. */
import { describe, expect, it } from 'vitest'
import { RSA, spkiPem, token } from '../../core/jwt/tokens.ts'
import { ABSENT, aclCases, aclVectorsPresent, type Case } from './acl-vectors.ts'
import { logIn, NOW, refusalOf } from './logging-in.ts'

interface ClaimsCase extends Case {
  readonly ClaimMappings?: Readonly<Record<string, string>>
  readonly ListClaimMappings?: Readonly<Record<string, string>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly values?: Readonly<Record<string, string>>
  readonly lists?: Readonly<Record<string, readonly string[]>>
  readonly refused?: true
}

describe.skipIf(!aclVectorsPresent)(`claims ${ABSENT}`, () => {
  it.each(aclCases<ClaimsCase>('claims'))('%s', async (_, { claims, values = {}, lists = {}, refused, ...mappings }) => {
    const { ClaimMappings = {}, ListClaimMappings = {} } = mappings
    const config = { JWTValidationPubKeys: [spkiPem(RSA)], ClaimMappings, ListClaimMappings }
    const login = logIn('jwt', config, token('RS256', { iat: NOW, ...claims }))
    if (refused) return expect(await refusalOf(login)).toBe('claims-malformed')
    const { selectable, variables } = await login
    expect(selectable).toEqual({ value: values, list: lists })
    const expected = Object.values(ClaimMappings).map((name) => [`value.${name}`, values[name] ?? ''])
    expect(variables).toEqual(Object.fromEntries(expected))
  })
})
