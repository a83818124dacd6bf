/**
 * jwt-provider (configsvc.md 6.16).
 */
import { describeKind } from './kind-table.ts'

const FILE = { JSONWebKeySet: { Local: { Filename: 'keys.json' } } }

const keys = (JSONWebKeySet: object) => ({ JSONWebKeySet })

const remote = (members: object) => keys({ Remote: { URI: 'https://idp.example/keys', ...members } })

const certificates = (TLSCertificates: object) => remote({ JWKSCluster: { TLSCertificates } })

const intervals = (RetryPolicyBackOff: object) => remote({ RetryPolicy: { RetryPolicyBackOff } })

const location = (members: object) => ({ ...FILE, Locations: [members] })

const REMOTE = 'JSONWebKeySet.Remote'

describeKind({
  kind: 'jwt-provider',
  full: [
    {
      Kind: 'jwt-provider',
      Name: 'idp',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      JSONWebKeySet: {
        Remote: {
          URI: 'https://idp.example/keys',
          RequestTimeoutMs: 500,
          CacheDuration: 300_000_000_000,
          FetchAsynchronously: true,
          UseSNI: true,
          RetryPolicy: { NumRetries: 3, RetryPolicyBackOff: { BaseInterval: 1_000_000_000, MaxInterval: 10_000_000_000 } },
          JWKSCluster: {
            DiscoveryType: 'STRICT_DNS',
            TLSCertificates: { CaCertificateProviderInstance: { InstanceName: 'default', CertificateName: 'root' } },
            ConnectTimeout: 5_000_000_000,
          },
        },
      },
      Issuer: 'https://idp.example',
      Audiences: ['a', 'b'],
      Locations: [
        { Header: { Name: 'Authorization', ValuePrefix: 'Bearer ', Forward: true } },
        { QueryParam: { Name: 'token' } },
        { Cookie: { Name: 'token' } },
      ],
      Forwarding: { HeaderName: 'x-claims', PadForwardPayloadHeader: true },
      ClockSkewSeconds: 5,
      CacheConfig: { Size: 100 },
    },
    { Kind: 'jwt-provider', Name: 'file', ...FILE, ClockSkewSeconds: 30 },
    { Kind: 'jwt-provider', Name: 'text', ...keys({ Local: { JWKS: 'eyJrZXlzIjpbXX0=' } }), ClockSkewSeconds: 30 },
    ...['Filename', 'EnvironmentVariable', 'InlineString', 'InlineBytes'].map((form) => ({
      Kind: 'jwt-provider',
      Name: form,
      ...certificates({ TrustedCA: { [form]: 'some' } }),
      ClockSkewSeconds: 30,
    })),
  ],
  stored: [
    { what: 'a clock skew of 30 seconds if it is not given', sent: FILE, stored: { ClockSkewSeconds: 30 } },
    { what: 'a clock skew of 30 seconds for 0', sent: { ...FILE, ClockSkewSeconds: 0 }, stored: { ClockSkewSeconds: 30 } },
    {
      what: 'a base interval without a maximum',
      sent: intervals({ BaseInterval: '90s' }),
      stored: intervals({ BaseInterval: 90_000_000_000 }),
    },
    {
      what: 'a base interval that equals the maximum',
      sent: intervals({ BaseInterval: '1m', MaxInterval: '60s' }),
      stored: intervals({ BaseInterval: 60_000_000_000, MaxInterval: 60_000_000_000 }),
    },
  ],
  refused: [
    { at: 'Name', what: 'an empty name', sent: { Name: '', ...FILE } },
    { at: 'JSONWebKeySet', what: 'an entry without keys', sent: {} },
    { at: 'JSONWebKeySet', what: 'keys without a source', sent: keys({}) },
    { at: 'JSONWebKeySet', what: 'keys with two sources', sent: keys({ Local: { Filename: 'a' }, Remote: {} }) },
    { at: 'JSONWebKeySet.Local', what: 'local keys without a source', sent: keys({ Local: {} }) },
    { at: 'JSONWebKeySet.Local', what: 'local keys with two sources', sent: keys({ Local: { Filename: 'a', JWKS: 'e30=' } }) },
    { at: 'JSONWebKeySet.Local.JWKS', what: 'keys that are not base64', sent: keys({ Local: { JWKS: '{"keys":[]}' } }) },
    { at: `${REMOTE}.URI`, what: 'remote keys without a URI', sent: keys({ Remote: {} }) },
    { at: `${REMOTE}.URI`, what: 'a relative URI', sent: remote({ URI: '/keys' }) },
    { at: `${REMOTE}.URI`, what: 'a URI without a scheme', sent: remote({ URI: 'idp.example' }) },
    {
      at: `${REMOTE}.RetryPolicy.RetryPolicyBackOff.MaxInterval`,
      what: 'a maximum interval below the base interval',
      sent: intervals({ BaseInterval: '1m', MaxInterval: '59s' }),
    },
    {
      at: `${REMOTE}.JWKSCluster.DiscoveryType`,
      what: 'an invalid discovery type',
      sent: remote({ JWKSCluster: { DiscoveryType: 'DNS' } }),
    },
    { at: `${REMOTE}.JWKSCluster.TLSCertificates`, what: 'TLS certificates without a source', sent: certificates({}) },
    {
      at: `${REMOTE}.JWKSCluster.TLSCertificates`,
      what: 'TLS certificates with two sources',
      sent: certificates({ TrustedCA: { Filename: 'a' }, CaCertificateProviderInstance: {} }),
    },
    {
      at: `${REMOTE}.JWKSCluster.TLSCertificates.TrustedCA`,
      what: 'a trusted CA in two forms',
      sent: certificates({ TrustedCA: { Filename: 'a', InlineString: 'b' } }),
    },
    { at: 'Locations[0]', what: 'a token location without a header, query parameter or cookie', sent: location({}) },
    {
      at: 'Locations[0]',
      what: 'a token location with a header and a query parameter',
      sent: location({ Header: { Name: 'a' }, QueryParam: {} }),
    },
    { at: 'Locations[0].Header.Name', what: 'a header without a name', sent: location({ Header: {} }) },
    { at: 'Locations[0].Cookie.Name', what: 'a cookie without a name', sent: location({ Cookie: {} }) },
    { at: 'ClockSkewSeconds', what: 'a clock skew that is not a number', sent: { ...FILE, ClockSkewSeconds: 'long' } },
  ],
})
