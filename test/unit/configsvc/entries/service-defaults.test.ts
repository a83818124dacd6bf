/**
 * service-defaults (configsvc.md 6.1).
 */
import { describeKind } from './kind-table.ts'

const upstream = {
  EnvoyListenerJSON: '{"l": 1}',
  EnvoyClusterJSON: '{"c": 1}',
  Protocol: 'http',
  ConnectTimeoutMs: 5000,
  Limits: { MaxConnections: 0, MaxPendingRequests: 1, MaxConcurrentRequests: 2 },
  PassiveHealthCheck: {
    Interval: 90_000_000_000,
    MaxFailures: 4294967295,
    EnforcingConsecutive5xx: 0,
    MaxEjectionPercent: 100,
    BaseEjectionTime: 0,
  },
  MeshGateway: { Mode: 'none' },
  BalanceOutboundConnections: 'exact_balance',
}

const defaults = (Defaults: object) => ({ UpstreamConfig: { Defaults } })

const health = (PassiveHealthCheck: object) => defaults({ PassiveHealthCheck })

const override = (members: object) => ({ UpstreamConfig: { Overrides: [{ Name: 'ok' }, members] } })

const destination = (...Addresses: string[]) => ({ Destination: { Addresses, Port: 443 } })

describeKind({
  kind: 'service-defaults',
  full: [
    {
      Kind: 'service-defaults',
      Name: 'web',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge' },
      Protocol: 'grpc',
      Mode: 'direct',
      TransparentProxy: { OutboundListenerPort: 15001, DialedDirectly: true },
      MutualTLSMode: 'strict',
      MeshGateway: { Mode: 'remote' },
      Expose: {
        Checks: true,
        Paths: [{ ListenerPort: 1, Path: '/h', LocalPathPort: 2, Protocol: 'http', ParsedFromCheck: true }],
      },
      ExternalSNI: 'web.example.com',
      UpstreamConfig: {
        Overrides: [{ Name: 'db', Partition: 'west', Namespace: 'team-b', Peer: 'p', ...upstream }],
        Defaults: upstream,
      },
      MaxInboundConnections: 7,
      LocalConnectTimeoutMs: 8,
      LocalRequestTimeoutMs: 9,
      MaxRequestHeadersKB: 0,
      BalanceInboundConnections: 'exact_balance',
      EnvoyExtensions: [{ Name: 'builtin/ext-authz', Arguments: { Config: { A_b: [] } } }],
    },
    {
      Kind: 'service-defaults',
      Name: 'out',
      Destination: { Addresses: ['example.com', '192.0.2.7', '2001:db8::1'], Port: 65535 },
    },
  ],
  stored: [
    { what: 'a protocol in lower case', sent: { Protocol: 'HTTP2' }, stored: { Protocol: 'http2' } },
    {
      what: 'any protocol of an upstream in lower case',
      sent: defaults({ Protocol: 'MySQL' }),
      stored: defaults({ Protocol: 'mysql' }),
    },
    {
      what: 'a duration sent as a number of nanoseconds',
      sent: health({ Interval: 1_500_000_000 }),
      stored: health({ Interval: 1_500_000_000 }),
    },
    {
      what: 'a duration sent as a string with a unit',
      sent: health({ Interval: '90s' }),
      stored: health({ Interval: 90_000_000_000 }),
    },
    { what: 'numbers that are sent as strings', sent: { MaxInboundConnections: '12' }, stored: { MaxInboundConnections: 12 } },
    {
      what: 'booleans that are sent as strings and numbers',
      sent: { Expose: { Checks: 'true' }, TransparentProxy: { DialedDirectly: 1 } },
      stored: { Expose: { Checks: true }, TransparentProxy: { DialedDirectly: true } },
    },
    { what: 'strings that are sent as numbers', sent: { ExternalSNI: 5 }, stored: { ExternalSNI: '5' } },
    {
      what: 'a single address as a list',
      sent: { Destination: { Addresses: 'a.example', Port: 1 } },
      stored: { Destination: { Addresses: ['a.example'] } },
    },
    {
      what: 'a single override as a list',
      sent: { UpstreamConfig: { Overrides: { Name: 'db' } } },
      stored: { UpstreamConfig: { Overrides: [{ Name: 'db' }] } },
    },
    {
      what: 'a list of one record as the record',
      sent: { MeshGateway: [{ Mode: 'local' }] },
      stored: { MeshGateway: { Mode: 'local' } },
    },
    {
      what: 'an entry whose rate limits are zero or null',
      sent: { RateLimits: { InstanceLevel: { RequestsPerSecond: 0, Routes: null } }, Protocol: 'tcp' },
      stored: { Protocol: 'tcp' },
    },
  ],
  refused: [
    { at: 'Name', what: 'an empty name', sent: { Name: '' } },
    { at: 'Name', what: 'a wildcard as its name', sent: { Name: '*' } },
    { at: 'Name', what: 'a name that is too long', sent: { Name: 'x'.repeat(257) } },
    { at: 'Name', what: 'a name with a line break', sent: { Name: 'a\nb' } },
    { at: 'Name', what: 'a name that is not Unicode', sent: { Name: '\ud800' } },
    { at: 'Protocol', what: 'a protocol that is invalid', sent: { Protocol: 'mysql' } },
    { at: 'Mode', what: 'a mode that is invalid', sent: { Mode: 'x' } },
    { at: 'MutualTLSMode', what: 'an invalid mutual TLS mode', sent: { MutualTLSMode: 'x' } },
    { at: 'MeshGateway.Mode', what: 'an invalid mesh gateway mode', sent: { MeshGateway: { Mode: 'x' } } },
    {
      at: 'BalanceInboundConnections',
      what: 'an invalid balance of inbound connections',
      sent: { BalanceInboundConnections: 'x' },
    },
    { at: 'UpstreamConfig.Overrides[1].Name', what: 'an override without a service name', sent: override({ Protocol: 'tcp' }) },
    { at: 'UpstreamConfig.Overrides[1].Name', what: 'an override for a wildcard service', sent: override({ Name: '*' }) },
    {
      at: 'UpstreamConfig.Overrides[1].MeshGateway.Mode',
      what: 'an invalid mesh gateway mode in an override',
      sent: override({ Name: 'x', MeshGateway: { Mode: 'x' } }),
    },
    { at: 'UpstreamConfig.Defaults.Name', what: 'upstream defaults with a name', sent: defaults({ Name: 'db' }) },
    { at: 'UpstreamConfig.Defaults.Namespace', what: 'upstream defaults with a namespace', sent: defaults({ Namespace: 'a' }) },
    { at: 'UpstreamConfig.Defaults.Partition', what: 'upstream defaults with a partition', sent: defaults({ Partition: 'a' }) },
    {
      at: 'UpstreamConfig.Defaults.BalanceOutboundConnections',
      what: 'an invalid balance of outbound connections',
      sent: defaults({ BalanceOutboundConnections: 'x' }),
    },
    {
      at: 'UpstreamConfig.Defaults.Limits.MaxPendingRequests',
      what: 'a negative limit',
      sent: defaults({ Limits: { MaxPendingRequests: -1 } }),
    },
    {
      at: 'UpstreamConfig.Defaults.PassiveHealthCheck.Interval',
      what: 'a negative interval',
      sent: health({ Interval: '-1ns' }),
    },
    {
      at: 'UpstreamConfig.Defaults.PassiveHealthCheck.Interval',
      what: 'an interval without a unit',
      sent: health({ Interval: '15' }),
    },
    {
      at: 'UpstreamConfig.Defaults.PassiveHealthCheck.MaxFailures',
      what: 'a negative number of failures',
      sent: health({ MaxFailures: -1 }),
    },
    {
      at: 'UpstreamConfig.Defaults.PassiveHealthCheck.MaxFailures',
      what: 'a number of failures above 32 bits',
      sent: health({ MaxFailures: 2 ** 32 }),
    },
    {
      at: 'UpstreamConfig.Defaults.PassiveHealthCheck.EnforcingConsecutive5xx',
      what: 'a percentage of 101',
      sent: health({ EnforcingConsecutive5xx: 101 }),
    },
    {
      at: 'UpstreamConfig.Defaults.PassiveHealthCheck.MaxEjectionPercent',
      what: 'a percentage of 101',
      sent: health({ MaxEjectionPercent: 101 }),
    },
    {
      at: 'UpstreamConfig.Defaults.PassiveHealthCheck.BaseEjectionTime',
      what: 'a negative time',
      sent: health({ BaseEjectionTime: '-1s' }),
    },
    { at: 'Destination.Addresses', what: 'a destination without an address', sent: { Destination: {} } },
    { at: 'Destination.Addresses[1]', what: 'an address with a wildcard', sent: destination('a', '*.example') },
    { at: 'Destination.Addresses[1]', what: 'an empty address', sent: destination('a', '') },
    { at: 'Destination.Addresses[1]', what: 'an address with a port', sent: destination('a', '192.0.2.1:80') },
    { at: 'Destination.Addresses[2]', what: 'a duplicate address', sent: destination('a', 'b', 'a') },
    { at: 'Destination.Port', what: 'a destination without a port', sent: { Destination: { Addresses: ['a'] } } },
    { at: 'Destination.Port', what: 'a port above 65535', sent: { Destination: { Addresses: ['a'], Port: 65536 } } },
    { at: 'Destination', what: 'a destination with upstreams', sent: { ...destination('a'), ...defaults({ Protocol: 'tcp' }) } },
    { at: 'RateLimits', what: 'rate limits', sent: { RateLimits: { InstanceLevel: { RequestsPerSecond: 1 } } } },
    { at: 'MaxInboundConnections', what: 'a number with a fraction', sent: { MaxInboundConnections: 1.5 } },
    { at: 'Expose.Checks', what: 'a string that is not a boolean', sent: { Expose: { Checks: 'yes' } } },
    { at: 'ExternalSNI', what: 'a record in place of a string', sent: { ExternalSNI: {} } },
    { at: 'UpstreamConfig', what: 'a string in place of a record', sent: { UpstreamConfig: 'x' } },
    {
      at: 'Meta',
      what: 'more than 64 pairs',
      sent: { Meta: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, 'v'])) },
    },
    { at: 'Meta', what: 'a key with too many bytes', sent: { Meta: { ['é'.repeat(65)]: 'v' } } },
    { at: 'Meta', what: 'a value with too many bytes', sent: { Meta: { k: 'é'.repeat(257) } } },
  ],
})
