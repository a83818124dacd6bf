/** The `Config` of auth methods: the stored and shown form, and refused values. */
import { describe, expect, it } from 'vitest'
import { authMethodTypeOf } from '../../../../src/configsvc/methods/method-types.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { parseJsonNow } from '../../../../src/core/json/json.ts'
import fc from '../../../fixtures/fast-check.ts'
import { certificatePem, encode, P256, P521, RSA, spkiPem, token } from '../../core/jwt/tokens.ts'
import { CRYPTO } from './logging-in.ts'

const JWT = {
  JWTValidationPubKeys: [spkiPem(RSA), certificatePem(P256)],
  JWTSupportedAlgs: ['ES256', 'RS256'],
  BoundIssuer: 'https://issuer.example/',
  BoundAudiences: ['a', 'b'],
  ClaimMappings: { sub: 'user', '/a/b': 'b' },
  ListClaimMappings: { groups: 'groups' },
  ExpirationLeeway: '10s',
  NotBeforeLeeway: -1,
  ClockSkewLeeway: '1h30m0.5s',
}
const KUBERNETES = { Host: 'https://api.example:6443', CACert: certificatePem(RSA), ServiceAccountJWT: token('RS256') }
const VALID = { jwt: JWT, kubernetes: KUBERNETES }

type Type = keyof typeof VALID
const TYPES = Object.keys(VALID) as readonly Type[]

const read = (type: string, config: unknown) => authMethodTypeOf(type).readConfig(config, CRYPTO)
const shown = (type: string, config: unknown) => authMethodTypeOf(type).showConfig(read(type, config))

function refusalOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (!(error instanceof KernelError) || error.status !== 400) throw error
    return error.message
  }
}

describe.each(TYPES)('the Config of type %s', (type) => {
  it('is returned as it was written, in a form that can be written again', () => {
    expect(shown(type, VALID[type])).toEqual(VALID[type])
    expect(shown(type, JSON.parse(JSON.stringify(shown(type, VALID[type]))))).toEqual(VALID[type])
  })

  it('accepts names in any letter case, and returns them in their canonical case', () => {
    const changed = (change: (name: string) => string) =>
      Object.fromEntries(Object.entries(VALID[type]).map(([name, value]) => [change(name), value]))
    expect(
      shown(
        type,
        changed((name) => name.toLowerCase()),
      ),
    ).toEqual(VALID[type])
    expect(
      shown(
        type,
        changed((name) => name.toUpperCase()),
      ),
    ).toEqual(VALID[type])
  })

  it('refuses duplicate and unknown names', () => {
    for (const name of Object.keys(VALID[type])) {
      const again = { ...VALID[type], [name.toLowerCase()]: null }
      expect(refusalOf(() => read(type, again))).toBe(
        `Config.${name}: must be given only once; the case of a name does not matter`,
      )
    }
    expect(refusalOf(() => read(type, { ...VALID[type], extra: null }))).toMatch(/^Config\.extra: unknown/)
    expect(refusalOf(() => read(type, { ...VALID[type], toString: 1 }))).toMatch(/^Config\.toString: unknown/)
  })

  it.each([null, undefined, '', 'x', 7, true, [], [VALID[type]]])('refuses %j', (config) => {
    expect(refusalOf(() => read(type, config))).toBe('Config: must be an object')
  })

  it('does not contain a refused value in its error message', () => {
    for (const name of Object.keys(VALID[type]))
      for (const value of [7.5, true, { a: ['secret'] }, [['secret']], [null], 'secret', 10n ** 30n]) {
        const message = refusalOf(() => read(type, { ...VALID[type], [name]: value }))
        if (message !== undefined) expect(message).toMatch(new RegExp(`^Config.${name}: `))
        expect(message ?? '').not.toContain('secret')
      }
  })

  it('either refuses random values with a 400, or accepts them again in the form in which it returns them', () => {
    const value = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.array(fc.string()),
      fc.dictionary(fc.string(), fc.string()),
      fc.constantFrom(...Object.values({ ...JWT, ...KUBERNETES })),
    )
    const config = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom(...Object.keys(VALID[type]), 'jwksurl', 'OIDCScopes', '__proto__'), value),
      fc.dictionary(fc.constantFrom(...Object.keys(VALID[type])), value).map((some) => ({ ...VALID[type], ...some })),
    )
    fc.assert(
      fc.property(config, (input) => {
        const message = refusalOf(() => {
          const first = shown(type, input)
          expect(shown(type, first)).toEqual(first)
        })
        expect((message ?? '').length).toBeLessThan(600)
      }),
      { numRuns: 500 },
    )
  })

  it('refuses an object with 40,000 members', () => {
    const members = Array.from({ length: 40_000 }, (_, nth) => `"m${nth}":1`)
    const wide = parseJsonNow(new TextEncoder().encode(`{${members.join()}}`))
    expect(refusalOf(() => read(type, wide))).toMatch(/^Config\.m\d+: unknown/)
    expect(refusalOf(() => read('jwt', { ...JWT, ClaimMappings: wide }))).toMatch(/^Config\.ClaimMappings: /)
  })
})

describe('the Config of a jwt method', () => {
  it.each([
    ['33 keys', { JWTValidationPubKeys: Array.from({ length: 33 }, () => spkiPem(P256)) }, 'JWTValidationPubKeys'],
    ['a URL of another scheme', { JWKSURL: 'ftp://idp.example/keys' }, 'JWKSURL'],
    ['a URL with credentials', { JWKSURL: 'https://me:secret@idp.example/keys' }, 'JWKSURL'],
    ['a URL with a fragment', { OIDCDiscoveryURL: 'https://idp.example/#a' }, 'OIDCDiscoveryURL'],
    ['a URL with a line break', { OIDCDiscoveryURL: 'https://idp.example/\nHost: b' }, 'OIDCDiscoveryURL'],
    ['invalid CA certificates', { JWKSURL: 'https://idp.example', JWKSCACert: 'none' }, 'JWKSCACert'],
    ['CA certificates without the URL of the keys', { JWKSCACert: certificatePem(P256) }, 'JWKSCACert'],
    ['CA certificates without an issuer', { OIDCDiscoveryCACert: certificatePem(P256) }, 'OIDCDiscoveryCACert'],
    ['a member of the type oidc', { OIDCClientID: '' }, 'OIDCClientID'],
    ['an algorithm that is invalid', { JWTSupportedAlgs: ['HS256'] }, 'JWTSupportedAlgs'],
    ['two claims mapped to one name', { ClaimMappings: { a: 'x', b: 'x' } }, 'ClaimMappings'],
    [
      '257 claim mappings',
      { ClaimMappings: Object.fromEntries(Array.from({ length: 257 }, (_, n) => [n, `${n}`])) },
      'ClaimMappings',
    ],
    ['a claim with a very long name', { ClaimMappings: { ['x'.repeat(513)]: 'x' } }, 'ClaimMappings'],
    ['a leeway without a unit', { ExpirationLeeway: '10' }, 'ExpirationLeeway'],
    ['a leeway of more than 100 days', { ExpirationLeeway: '2401h' }, 'ExpirationLeeway'],
    ['a leeway with a fraction of a nanosecond', { ClockSkewLeeway: 0.5 }, 'ClockSkewLeeway'],
  ])('is refused with %s', (_, change, name) => {
    expect(refusalOf(() => read('jwt', { ...JWT, ...change }))).toMatch(new RegExp(`^Config.${name}: `))
  })

  it.each([
    ['no keys', { JWTValidationPubKeys: [] }],
    ['no key source', { JWTValidationPubKeys: undefined }],
    ['keys and a key set', { JWKSURL: 'https://idp.example' }],
    ['keys and an issuer', { oidcdiscoveryurl: 'https://idp.example' }],
    ['a key set and an issuer', { JWTValidationPubKeys: [], JWKSURL: 'https://a', OIDCDiscoveryURL: 'https://b' }],
  ])('is refused with %s, because exactly one source of keys is required', (_, change) => {
    expect(refusalOf(() => read('jwt', { ...JWT, ...change }))).toMatch(
      /^Config: exactly one of JWTValidationPubKeys, JWKSURL, OIDCDiscoveryURL is required/,
    )
  })

  it('accepts one string in place of a list, and treats null and empty strings as absent', () => {
    const key = spkiPem(P256)
    expect(
      shown('jwt', { JWTValidationPubKeys: key, JWKSURL: '', OIDCDiscoveryURL: null, BoundAudiences: '', BoundIssuer: null }),
    ).toEqual({
      JWTValidationPubKeys: [key],
      BoundAudiences: [],
    })
  })

  it('offers the namespace, name and uid of the service account to selectors and templates', () => {
    const method = authMethodTypeOf('jwt')
    const config = read('jwt', JWT)
    expect(method.selectable(config)).toEqual({ value: ['user', 'b'], list: ['groups'] })
    expect(method.variables(config)).toEqual(['value.user', 'value.b'])
  })

  it('accepts 32 keys', () => {
    const config = { JWTValidationPubKeys: Array.from({ length: 32 }, () => spkiPem(P521)) }
    expect(shown('jwt', config)).toMatchObject(config)
  })
})

describe('the Config of a kubernetes method', () => {
  it.each([
    'api',
    'api.example:6443',
    '10.0.0.1',
    'fd00::1',
    '[fd00::1]:6443',
    'http://localhost:8001/prefix/',
    ' https://api\n',
  ])('accepts the host %s', (Host) => {
    expect(shown('kubernetes', { ...KUBERNETES, Host })).toEqual({ ...KUBERNETES, Host })
  })

  it.each([
    '',
    ':',
    '://:12345',
    'https://',
    'https:///x',
    'ftp://api',
    'api:x',
    'api:70000',
    'api:',
    'a b',
    'u:p@api',
    'api?x',
    'api#x',
    'a\\b',
  ])('refuses the host %s', (Host) => {
    expect(refusalOf(() => read('kubernetes', { ...KUBERNETES, Host }))).toMatch(/^Config\.Host: /)
  })

  it.each(['', 'x', spkiPem(RSA), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'refuses an invalid certificate: %#',
    (CACert) => {
      expect(refusalOf(() => read('kubernetes', { ...KUBERNETES, CACert }))).toMatch(/^Config\.CACert: /)
    },
  )

  it.each([
    '',
    'x',
    'a.b.c',
    `${encode('[]')}.${encode({})}.AAAA`,
    `${token('RS256')} ${token('RS256')}`,
    `${token('RS256')}\r\nHost: x`,
  ])('refuses an invalid reviewer token: %#', (ServiceAccountJWT) => {
    expect(refusalOf(() => read('kubernetes', { ...KUBERNETES, ServiceAccountJWT }))).toMatch(/^Config\.ServiceAccountJWT: /)
  })

  it('accepts reviewer tokens with any algorithm, because Kubernetes verifies them', () => {
    const ServiceAccountJWT = `${encode({ alg: 'EdDSA' })}.${encode({})}.AAAA`
    expect(shown('kubernetes', { ...KUBERNETES, ServiceAccountJWT })).toEqual({ ...KUBERNETES, ServiceAccountJWT })
  })

  it('determines which fields selectors and which variables templates may name', () => {
    const method = authMethodTypeOf('kubernetes')
    const paths = ['serviceaccount.namespace', 'serviceaccount.name', 'serviceaccount.uid']
    expect(method.selectable(read('kubernetes', KUBERNETES))).toEqual({ fixed: paths })
    expect(method.variables(read('kubernetes', KUBERNETES))).toEqual(paths)
  })
})

it.each(['', 'oidc', 'aws-iam', 'JWT', 'toString', '__proto__'])('an auth method of the type %j is refused', (type) => {
  expect(refusalOf(() => authMethodTypeOf(type))).toMatch(/^Type: /)
})
