/** Hypothetical identities, which callers use in place of a token. */
import { expect, it } from 'vitest'
import { authMethodTypeOf } from '../../../../src/configsvc/methods/method-types.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { fakeTokenReviewer } from '../../../../src/testing/index.ts'
import fc from '../../../fixtures/fast-check.ts'
import { certificatePem, P256, RSA, spkiPem, token } from '../../core/jwt/tokens.ts'
import { CRYPTO, logIn, NOW } from './logging-in.ts'

const CONFIGS = {
  jwt: {
    JWTValidationPubKeys: [spkiPem(P256)],
    JWTSupportedAlgs: ['ES256'],
    ClaimMappings: { team: 'team', level: 'level' },
    ListClaimMappings: { groups: 'groups' },
  },
  kubernetes: { Host: 'api', CACert: certificatePem(RSA), ServiceAccountJWT: token('RS256') },
}

const supposed = (type: keyof typeof CONFIGS, identity: unknown) => {
  const method = authMethodTypeOf(type)
  return method.hypotheticalIdentity(method.readConfig(CONFIGS[type], CRYPTO), identity)
}

it('a hypothetical jwt identity equals that of a login with the same claims', async () => {
  const bearer = token('ES256', { iat: NOW, team: 'red', groups: ['a', 'b'] })
  const identity = await logIn('jwt', CONFIGS.jwt, bearer)
  expect(supposed('jwt', { value: { team: 'red' }, list: { groups: ['a', 'b'] } })).toEqual(identity)
  expect(supposed('jwt', identity.selectable)).toEqual(identity)
})

it('a hypothetical kubernetes identity equals that of a login with the same service account', async () => {
  const reviewer = fakeTokenReviewer()
  const bearer = token('RS256', { 'kubernetes.io': { namespace: 'prod', serviceaccount: { name: 'web', uid: 'u' } } })
  const identity = await logIn('kubernetes', CONFIGS.kubernetes, bearer, { reviewer })
  expect(supposed('kubernetes', { serviceaccount: { namespace: 'prod', name: 'web', uid: 'u' } })).toEqual(identity)
})

it('a missing member of a hypothetical identity counts as empty', () => {
  expect(supposed('jwt', {})).toEqual({ selectable: { value: {}, list: {} }, variables: { 'value.team': '', 'value.level': '' } })
  expect(supposed('kubernetes', { serviceaccount: { name: 'web' } }).selectable).toEqual({
    serviceaccount: { namespace: '', name: 'web', uid: '' },
  })
})

it.each([
  ['jwt', 7],
  ['jwt', []],
  ['jwt', { serviceaccount: {} }],
  ['jwt', { value: { other: 'x' } }],
  ['jwt', { value: { groups: 'x' } }],
  ['jwt', { value: { team: 7 } }],
  ['jwt', { value: { team: 'x'.repeat(16_385) } }],
  ['jwt', { list: { groups: 'a' } }],
  ['jwt', { list: { groups: [null] } }],
  ['kubernetes', { value: {} }],
  ['kubernetes', { serviceaccount: { groups: [] } }],
  ['kubernetes', { serviceaccount: { name: ['a'] } }],
] as const)('a hypothetical identity with an invalid member is refused for the method type %s: %j', (type, identity) => {
  expect(() => supposed(type, identity)).toThrow(expect.objectContaining({ status: 400 }))
})

it('a random hypothetical identity is accepted or refused with a 400', () => {
  const any = fc.oneof(fc.anything(), fc.record({ value: fc.anything(), list: fc.anything(), serviceaccount: fc.anything() }))
  fc.assert(
    fc.property(fc.constantFrom('jwt' as const, 'kubernetes' as const), any, (type, identity) => {
      try {
        supposed(type, identity)
      } catch (error) {
        if (!(error instanceof KernelError) || error.status !== 400) throw error
      }
    }),
  )
})
