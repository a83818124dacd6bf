/** No member of an entry accepts an empty string as a duration, and every map accepts an empty array as an empty map. */
import { describe, expect, it } from 'vitest'

import { duration, nanoseconds } from '../../../../src/configsvc/entries/members/index.ts'
import { ENTRY_OF_EACH_KIND } from '../../../fixtures/entry-of-each-kind.ts'
import { outcome } from './outcome.ts'

const provider = (Remote: object) => ({
  Kind: 'jwt-provider',
  Name: 'idp',
  JSONWebKeySet: { Remote: { URI: 'https://a/keys', ...Remote } },
})

const DURATIONS: readonly (readonly [path: string, entry: object])[] = [
  ...['ConnectTimeout', 'RequestTimeout'].map((name) => [name, { Kind: 'service-resolver', Name: 'web', [name]: '' }] as const),
  ...['RequestTimeout', 'IdleTimeout'].flatMap((name) => [
    [
      `Routes[0].Destination.${name}`,
      { Kind: 'service-router', Name: 'web', Routes: [{ Destination: { [name]: '' } }] },
    ] as const,
    [
      `Rules[0].Filters.TimeoutFilter.${name}`,
      { Kind: 'http-route', Name: 'r', Parents: [{ Name: 'gate' }], Rules: [{ Filters: { TimeoutFilter: { [name]: '' } } }] },
    ] as const,
  ]),
  ['JSONWebKeySet.Remote.CacheDuration', provider({ CacheDuration: '' })],
  ['JSONWebKeySet.Remote.JWKSCluster.ConnectTimeout', provider({ JWKSCluster: { ConnectTimeout: '' } })],
  ...['BaseInterval', 'MaxInterval'].map(
    (name) =>
      [
        `JSONWebKeySet.Remote.RetryPolicy.RetryPolicyBackOff.${name}`,
        provider({ RetryPolicy: { RetryPolicyBackOff: { [name]: '' } } }),
      ] as const,
  ),
  ...['Interval', 'BaseEjectionTime'].map(
    (name) =>
      [
        `UpstreamConfig.Defaults.PassiveHealthCheck.${name}`,
        { Kind: 'service-defaults', Name: 'web', UpstreamConfig: { Defaults: { PassiveHealthCheck: { [name]: '' } } } },
      ] as const,
  ),
  [
    'LoadBalancer.HashPolicies[0].CookieConfig.TTL',
    {
      Kind: 'service-resolver',
      Name: 'web',
      LoadBalancer: { Policy: 'maglev', HashPolicies: [{ Field: 'cookie', FieldValue: 'c', CookieConfig: { TTL: '' } }] },
    },
  ],
]

describe('a duration in an entry', () => {
  it.each(DURATIONS)('must not be an empty string: %s', (path, entry) => {
    expect(outcome(entry)).toMatch(new RegExp(`^${path.replaceAll(/[[\].]/g, '\\$&')}: must be a duration`))
  })

  it.each([
    ['as a string', duration()],
    ['in nanoseconds', nanoseconds()],
  ])('must not be an empty string in any member that is stored %s', (_, { read }) => {
    expect(() => read('', 'Any', undefined as never)).toThrow('Any: must be a duration')
  })
})

describe('an empty array in place of a map in an entry', () => {
  it.each(ENTRY_OF_EACH_KIND.map(({ kind, entry }) => [kind, entry] as const))(
    'as Meta of %s counts as an empty map',
    (_, entry) => {
      expect(outcome({ ...entry, Meta: [] })).toEqual(outcome({ ...entry, Meta: {} }))
      expect(outcome({ ...entry, Meta: [] })).toMatchObject({ Kind: entry['Kind'] })
    },
  )

  it.each([
    ['with values of one type', { Kind: 'service-resolver', Name: 'web' }, 'Subsets'],
    ['with any values', { Kind: 'proxy-defaults', Name: 'global' }, 'Config'],
    ['with fixed members', { Kind: 'service-defaults', Name: 'web' }, 'MeshGateway'],
  ])('counts as an empty map %s', (_, entry, member) => {
    expect(outcome({ ...entry, [member]: [] })).toEqual(outcome({ ...entry, [member]: {} }))
  })
})
