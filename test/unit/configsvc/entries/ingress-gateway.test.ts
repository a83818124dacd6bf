/**
 * ingress-gateway (configsvc.md 6.8).
 */
import { describeKind } from './kind-table.ts'

const listener = (members: object) => ({ Listeners: [{ Port: 80, Protocol: 'http', Services: [{ Name: 'web' }], ...members }] })

const http = (...Services: readonly object[]) => listener({ Services })

const tcp = (...Services: readonly object[]) => listener({ Protocol: 'tcp', Services })

const hosts = (...Hosts: readonly string[]) => http({ Name: 'web', Hosts })

const sds = (SDS: object) => ({ TLS: { SDS } })

const limits = {
  MaxConnections: 1,
  MaxPendingRequests: 2,
  MaxConcurrentRequests: 4294967295,
  PassiveHealthCheck: {
    Interval: 10_000_000_000,
    MaxFailures: 3,
    EnforcingConsecutive5xx: 0,
    MaxEjectionPercent: 100,
    BaseEjectionTime: 0,
  },
}

const tls = {
  Enabled: true,
  SDS: { ClusterName: 'c1', CertResource: 'r1' },
  TLSMinVersion: 'TLSv1_1',
  TLSMaxVersion: 'TLSv1_2',
  CipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
}

const modifiers = { Add: { a: '1' }, Set: { b: '2' }, Remove: ['c'] }

describeKind({
  kind: 'ingress-gateway',
  full: [
    {
      Kind: 'ingress-gateway',
      Name: 'front',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      TLS: tls,
      Listeners: [
        {
          Port: 8080,
          Protocol: 'http2',
          TLS: tls,
          Services: [
            {
              Name: 'web',
              Hosts: ['a.example', '*.b.example', 'c.example:8443'],
              TLS: { SDS: { ClusterName: 'c2', CertResource: 'r2' } },
              RequestHeaders: modifiers,
              ResponseHeaders: modifiers,
              ...limits,
              Meta: { tier: '1' },
              Namespace: 'team-b',
              Partition: 'west',
            },
            { Name: '*' },
          ],
        },
        { Port: 65535, Protocol: 'tcp', Services: [{ Name: 'db' }] },
      ],
      Defaults: limits,
    },
  ],
  stored: [
    { what: 'TLS as disabled if it is not given', sent: {}, stored: { TLS: { Enabled: false } } },
    { what: 'TLS as disabled if its record is empty', sent: { TLS: {} }, stored: { TLS: { Enabled: false } } },
    {
      what: 'TLS as disabled if only its other members are given',
      sent: sds({ ClusterName: 'c', CertResource: 'r' }),
      stored: { TLS: { Enabled: false } },
    },
    {
      what: 'TLS of a listener as disabled if its record is empty',
      sent: listener({ TLS: {} }),
      stored: { Listeners: [{ TLS: { Enabled: false } }] },
    },
    { what: 'tcp for an empty protocol', sent: listener({ Protocol: '' }), stored: { Listeners: [{ Protocol: 'tcp' }] } },
    { what: 'tcp for a protocol that is null', sent: listener({ Protocol: null }), stored: { Listeners: [{ Protocol: 'tcp' }] } },
    { what: 'protocols in lower case', sent: listener({ Protocol: 'GrPC' }), stored: { Listeners: [{ Protocol: 'grpc' }] } },
    { what: 'a wildcard as a host if TLS is disabled', sent: hosts('*'), stored: hosts('*') },
    {
      what: 'one host with two ports',
      sent: hosts('a.example', 'a.example:81'),
      stored: hosts('a.example', 'a.example:81'),
    },
    {
      what: 'one service in two namespaces',
      sent: http({ Name: 'a' }, { Name: 'a', Namespace: 'b' }),
      stored: http({ Name: 'a' }, { Namespace: 'b' }),
    },
    {
      what: 'a certificate of a service without a cluster if the gateway names one',
      sent: {
        TLS: { SDS: { ClusterName: 'c', CertResource: 'r' } },
        ...http({ Name: 'a', Hosts: ['a.example'], ...sds({ CertResource: 's' }) }),
      },
      stored: { TLS: { SDS: { ClusterName: 'c' } } },
    },
  ],
  refused: [
    { at: 'Name', what: 'a wildcard as its name', sent: { Name: '*' } },
    {
      at: 'TLS',
      what: 'a maximum TLS version below the minimum',
      sent: { TLS: { TLSMinVersion: 'TLSv1_2', TLSMaxVersion: 'TLSv1_1' } },
    },
    { at: 'TLS.CipherSuites[0]', what: 'an invalid cipher suite', sent: { TLS: { CipherSuites: ['TLS_RSA'] } } },
    {
      at: 'Listeners[0].TLS.CipherSuites',
      what: 'cipher suites if only TLS 1.3 is allowed',
      sent: listener({ TLS: { TLSMinVersion: 'TLSv1_3', CipherSuites: tls.CipherSuites } }),
    },
    { at: 'Listeners[0].Port', what: 'a port above 65535', sent: listener({ Port: 65536 }) },
    { at: 'Listeners[0].Port', what: 'a negative port', sent: listener({ Port: -1 }) },
    {
      at: 'Listeners[1].Port',
      what: 'two listeners on one port',
      sent: { Listeners: [...tcp({ Name: 'a' }).Listeners, ...http({ Name: 'b' }).Listeners] },
    },
    { at: 'Listeners[0].Protocol', what: 'a protocol that is invalid', sent: listener({ Protocol: 'udp' }) },
    { at: 'Listeners[0].Services', what: 'a listener without services', sent: listener({ Services: [] }) },
    { at: 'Listeners[0].Services', what: 'two services over tcp', sent: tcp({ Name: 'a' }, { Name: 'b' }) },
    { at: 'Listeners[0].Services[0].Name', what: 'a service without a name', sent: http({}) },
    { at: 'Listeners[0].Services[0].Name', what: 'a wildcard service over tcp', sent: tcp({ Name: '*' }) },
    { at: 'Listeners[0].Services[0].Hosts', what: 'hosts over tcp', sent: tcp({ Name: 'a', Hosts: ['a.example'] }) },
    {
      at: 'Listeners[0].Services[0].RequestHeaders',
      what: 'request headers over tcp',
      sent: tcp({ Name: 'a', RequestHeaders: { Remove: ['x'] } }),
    },
    {
      at: 'Listeners[0].Services[0].ResponseHeaders',
      what: 'response headers over tcp',
      sent: tcp({ Name: 'a', ResponseHeaders: { Set: { x: 'y' } } }),
    },
    {
      at: 'Listeners[0].Services[0].Hosts',
      what: 'hosts of a wildcard service',
      sent: http({ Name: '*', Hosts: ['a.example'] }),
    },
    { at: 'Listeners[0].Services[1].Name', what: 'a duplicate service', sent: http({ Name: 'a' }, { Name: 'a' }) },
    { at: 'Listeners[0].Services[0].Hosts[1]', what: 'a duplicate host', sent: hosts('a.example', 'A.example') },
    {
      at: 'Listeners[0].Services[1].Hosts[0]',
      what: 'one host for two services',
      sent: http({ Name: 'a', Hosts: ['a.example'] }, { Name: 'b', Hosts: ['a.example'] }),
    },
    { at: 'Listeners[0].Services[0].Hosts[0]', what: 'a wildcard in the middle of a host', sent: hosts('a.*.example') },
    {
      at: 'Listeners[0].Services[0].Hosts[1]',
      what: 'a wildcard in a part of a host label',
      sent: hosts('a.example', 'a*.example'),
    },
    { at: 'Listeners[0].Services[0].Hosts[0]', what: 'an empty host', sent: hosts('') },
    { at: 'Listeners[0].Services[0].Hosts[0]', what: 'a host that is a URL', sent: hosts('https://a.example') },
    {
      at: 'Listeners[0].Services[0].Hosts',
      what: 'a wildcard as a host if TLS is enabled',
      sent: { TLS: { Enabled: true }, ...hosts('*') },
    },
    { at: 'TLS.SDS.ClusterName', what: 'a certificate without a cluster', sent: sds({ CertResource: 'r' }) },
    {
      at: 'Listeners[0].TLS.SDS.CertResource',
      what: 'a listener without a certificate if the gateway names only a cluster',
      sent: { ...sds({ ClusterName: 'c' }), ...listener({}) },
    },
    {
      at: 'Listeners[0].TLS.SDS.CertResource',
      what: 'a listener that names a cluster without a certificate',
      sent: listener(sds({ ClusterName: 'c' })),
    },
    {
      at: 'Listeners[0].TLS.SDS.ClusterName',
      what: 'a listener that names a certificate without a cluster',
      sent: listener(sds({ CertResource: 'r' })),
    },
    {
      at: 'Listeners[0].Services[0].TLS.SDS.ClusterName',
      what: 'a service that names a certificate without a cluster',
      sent: http({ Name: 'a', Hosts: ['a.example'], ...sds({ CertResource: 'r' }) }),
    },
    {
      at: 'Listeners[0].Services[0].Hosts',
      what: 'a certificate of a service without hosts',
      sent: http({ Name: 'a', ...sds({ ClusterName: 'c', CertResource: 'r' }) }),
    },
    {
      at: 'Defaults.PassiveHealthCheck.Interval',
      what: 'a negative interval',
      sent: { Defaults: { PassiveHealthCheck: { Interval: '-1s' } } },
    },
    { at: 'Defaults.MaxConnections', what: 'a negative limit', sent: { Defaults: { MaxConnections: -1 } } },
  ],
})
