/** Cases of claims.json: how the claims of a token are mapped. */
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../../fixtures/acl-vectors.ts'
import { RSA, spkiPem, token } from '../../core/jwt/tokens.ts'
import { logIn, NOW, refusalOf } from './logging-in.ts'

interface ClaimsCase extends AclCase {
  readonly ClaimMappings?: Readonly<Record<string, string>>
  readonly ListClaimMappings?: Readonly<Record<string, string>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly values?: Readonly<Record<string, string>>
  readonly lists?: Readonly<Record<string, readonly string[]>>
  readonly refused?: true
}

describeAcl<ClaimsCase>('claims.json', 'claims', (cases) => {
  it.each(cases)(
    'the claims of a jwt login are mapped as in Consul: $id, $about',
    async ({ claims, values = {}, lists = {}, refused, ...mappings }) => {
      const { ClaimMappings = {}, ListClaimMappings = {} } = mappings
      const config = { JWTValidationPubKeys: [spkiPem(RSA)], ClaimMappings, ListClaimMappings }
      const login = logIn('jwt', config, token('RS256', { iat: NOW, ...claims }))
      if (refused) return expect(await refusalOf(login)).toBe('claims-malformed')
      const { selectable, variables } = await login
      expect(selectable).toEqual({ value: values, list: lists })
      const expected = Object.values(ClaimMappings).map((name) => [`value.${name}`, values[name] ?? ''])
      expect(variables).toEqual(Object.fromEntries(expected))
    },
  )
})
