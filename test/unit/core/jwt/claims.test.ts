/** Expected results are those documented for Vault's Kubernetes auth method. */
import { describe, expect, it } from 'vitest'
import {
  audiencesOf,
  checkAudience,
  checkIssuer,
  checkUid,
  DEFAULT_ISSUER,
  serviceAccountOf,
} from '../../../../src/core/jwt/claims.ts'
import { type Claims, parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { encode, reasonOf } from './tokens.ts'

/** Parses the claims from a token, so that numbers and names are read exactly as in production. */
const claimsOf = (payload: unknown): Claims => parseJwt(`${encode({ alg: 'ES256' })}.${encode(payload)}.AAAA`).claims

const FLAT = {
  'kubernetes.io/serviceaccount/namespace': 'default',
  'kubernetes.io/serviceaccount/secret.name': 'vault-auth-token-t5pcn',
  'kubernetes.io/serviceaccount/service-account.name': 'vault-auth',
  'kubernetes.io/serviceaccount/service-account.uid': 'd77f89bc-9055-11e7-a068-0800276d99bf',
}
const POD = { name: 'vault', uid: '086c2f61-dea2-47bb-b5ca-63e63c5c9885' }
const ACCOUNT = { name: 'default', uid: '77c81ad7-1bea-4d94-9ca5-f5d7f3632331' }
const BOUND = { namespace: 'bound', pod: POD, serviceaccount: ACCOUNT }

const KEPT = {
  name: 'vault-auth',
  namespace: 'default',
  uid: 'd77f89bc-9055-11e7-a068-0800276d99bf',
  secretName: 'vault-auth-token-t5pcn',
}
const NOBODY = { name: '', namespace: '', uid: '', secretName: '' }

describe('the service account in the claims of a Kubernetes token', () => {
  it.each([
    ['from a secret', FLAT, KEPT],
    ['bound to a pod', { 'kubernetes.io': BOUND }, { ...ACCOUNT, namespace: 'bound', secretName: '' }],
    ['in both forms, of which the object wins', { ...FLAT, 'kubernetes.io': BOUND }, { ...KEPT, ...ACCOUNT, namespace: 'bound' }],
    [
      'in both forms, with an object without an account',
      { ...FLAT, 'kubernetes.io': { namespace: 'bound' } },
      { ...KEPT, namespace: 'bound' },
    ],
    [
      'in both forms, with an object whose account is null',
      { ...FLAT, 'kubernetes.io': { namespace: 'bound', serviceaccount: null } },
      { ...KEPT, namespace: 'bound' },
    ],
    ['in both forms, with an empty object', { ...FLAT, 'kubernetes.io': {} }, { ...KEPT, namespace: '' }],
    ['in both forms, with null for the object', { ...FLAT, 'kubernetes.io': null }, KEPT],
    [
      'in both forms, with an empty account',
      { ...FLAT, 'kubernetes.io': { namespace: 'bound', serviceaccount: {} } },
      { ...KEPT, namespace: 'bound', name: '', uid: '' },
    ],
    [
      'in both forms, with an account of empty strings',
      { ...FLAT, 'kubernetes.io': { namespace: '', serviceaccount: { name: '', uid: '' } } },
      { ...NOBODY, secretName: KEPT.secretName },
    ],
    ['an object without a namespace', { 'kubernetes.io': { serviceaccount: ACCOUNT } }, { ...NOBODY, ...ACCOUNT }],
    ['null members', { 'kubernetes.io': { namespace: null, serviceaccount: { name: null, uid: null } } }, NOBODY],
    ['no claims', {}, NOBODY],
    ['a subject only', { sub: 'system:serviceaccount:prod:web' }, NOBODY],
    ['inherited names', '{"__proto__":{"kubernetes.io":{"namespace":"prod"}}}', NOBODY],
    ['inherited names inside', '{"kubernetes.io":{"__proto__":{"namespace":"prod"}}}', NOBODY],
    [
      'unknown members',
      { 'kubernetes.io': { ...BOUND, node: 7, warnafter: 7, pod: 'x' } },
      { ...ACCOUNT, namespace: 'bound', secretName: '' },
    ],
  ])('is read from claims: %s', (_, payload, expected) => {
    expect(serviceAccountOf(claimsOf(payload))).toEqual(expected)
  })

  const values = [7, true, false, ['prod'], {}, 1e300]
  const places: readonly ((value: unknown) => unknown)[] = [
    ...Object.keys(FLAT).map((name) => (value: unknown) => ({ ...FLAT, [name]: value })),
    // A flat claim must be valid even if the nested object takes precedence.
    ...Object.keys(FLAT).map((name) => (value: unknown) => ({ [name]: value, 'kubernetes.io': BOUND })),
    (value) => ({ ...FLAT, 'kubernetes.io': { ...BOUND, namespace: value } }),
    (value) => ({ 'kubernetes.io': { ...BOUND, serviceaccount: { ...ACCOUNT, name: value } } }),
    (value) => ({ 'kubernetes.io': { ...BOUND, serviceaccount: { ...ACCOUNT, uid: value } } }),
  ]
  it.each(places.flatMap((place) => values.map((value) => [JSON.stringify(place(value)), value] as const)))(
    'is refused if a member that must be a string has another type: %s',
    (payload) => {
      expect(reasonOf(() => serviceAccountOf(claimsOf(payload)))).toBe('claims-malformed')
    },
  )

  it.each([
    [{ ...FLAT, 'kubernetes.io': 'text' }],
    [{ ...FLAT, 'kubernetes.io': '' }],
    [{ ...FLAT, 'kubernetes.io': [] }],
    [{ ...FLAT, 'kubernetes.io': 0 }],
    [{ ...FLAT, 'kubernetes.io': false }],
    ['{"kubernetes.io":9007199254740993}'],
    [{ 'kubernetes.io': { ...BOUND, serviceaccount: 'default' } }],
    [{ 'kubernetes.io': { ...BOUND, serviceaccount: [ACCOUNT] } }],
    [{ 'kubernetes.io': { ...BOUND, serviceaccount: 0 } }],
  ])('is refused if a member that must be an object has another type: %j', (payload) => {
    expect(reasonOf(() => serviceAccountOf(claimsOf(payload)))).toBe('claims-malformed')
  })

  it('is refused by checkUid if it has no uid', () => {
    expect(reasonOf(() => checkUid(serviceAccountOf(claimsOf(FLAT))))).toBeUndefined()
    for (const payload of [
      {},
      { 'kubernetes.io': { ...BOUND, serviceaccount: { name: 'web' } } },
      { ...FLAT, 'kubernetes.io': { serviceaccount: {} } },
    ])
      expect(reasonOf(() => checkUid(serviceAccountOf(claimsOf(payload))))).toBe('uid-missing')
  })
})

describe('the audience (aud) of a Kubernetes token', () => {
  it.each([
    [{}, []],
    [{ aud: [] }, []],
    [{ aud: 'strongroom' }, ['strongroom']],
    [{ aud: '' }, ['']],
    [{ aud: ['x', 'strongroom', 'x'] }, ['x', 'strongroom', 'x']],
  ])('is read as a list from %j', (payload, expected) => {
    expect(audiencesOf(claimsOf(payload))).toEqual(expected)
  })

  it.each([[7], [{ a: 1 }], [true], [null], [[7]], [['strongroom', null]], [[['strongroom']]]])(
    'is refused unless it is a string or a list of strings: %j',
    (aud) => {
      for (const work of [
        () => audiencesOf(claimsOf({ aud })),
        () => checkAudience(claimsOf({ aud }), ''),
        () => checkAudience(claimsOf({ aud }), 'strongroom'),
      ])
        expect(reasonOf(work)).toBe('claims-malformed')
    },
  )

  it.each([
    ['one of several', ['other', 'strongroom'], undefined],
    ['equal to a single string', 'strongroom', undefined],
    ['another', ['kubernetes.default.svc'], 'audience-mismatch'],
    ['an empty list', [], 'audience-mismatch'],
    ['absent', undefined, 'audience-mismatch'],
    ['in different case', ['Strongroom'], 'audience-mismatch'],
    ['with a longer name', ['strongroom.example'], 'audience-mismatch'],
    ['split into two strings', ['strong', 'room'], 'audience-mismatch'],
    ['in a comma-separated string', 'other,strongroom', 'audience-mismatch'],
    ['with trailing white space', ['strongroom '], 'audience-mismatch'],
  ])('matches the required audience only if it contains exactly that string: %s', (_, aud, expected) => {
    expect(reasonOf(() => checkAudience(claimsOf({ aud }), 'strongroom'))).toBe(expected)
    expect(reasonOf(() => checkAudience(claimsOf({ aud }), ''))).toBeUndefined()
  })
})

describe('the issuer of a Kubernetes token', () => {
  it.each([
    ['https://issuer.example', 'https://issuer.example', undefined],
    ['https://issuer.example', 'https://issuer.example/', 'issuer-mismatch'],
    ['https://issuer.example', 'HTTPS://issuer.example', 'issuer-mismatch'],
    ['https://issuer.example', undefined, 'issuer-mismatch'],
    ['https://issuer.example', ['https://issuer.example'], 'issuer-mismatch'],
    ['https://issuer.example', 'kubernetes/serviceaccount', 'issuer-mismatch'],
    ['kubernetes/serviceaccount', 'kubernetes/serviceaccount', undefined],
    // Without a configured issuer the default applies.
    ['', 'kubernetes/serviceaccount', undefined],
    ['', 'kubernetes.io/serviceaccount', 'issuer-mismatch'],
    ['', 'https://issuer.example', 'issuer-mismatch'],
    ['', '', 'issuer-mismatch'],
    ['', undefined, 'issuer-mismatch'],
    ['', null, 'issuer-mismatch'],
    ['', 7, 'issuer-mismatch'],
  ])('must equal the required issuer %j exactly: given %j', (required, iss, expected) => {
    expect(reasonOf(() => checkIssuer(claimsOf({ iss }), required))).toBe(expected)
  })

  it('must be kubernetes/serviceaccount if none is configured', () => {
    expect(DEFAULT_ISSUER).toBe('kubernetes/serviceaccount')
  })
})
