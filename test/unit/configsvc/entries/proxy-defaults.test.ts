/**
 * proxy-defaults (configsvc.md 6.2).
 */
import { describeKind } from './kind-table.ts'

const global = (members: object) => ({ Name: 'global', ...members })

const logs = (AccessLogs: object) => global({ AccessLogs })

describeKind({
  kind: 'proxy-defaults',
  full: [
    {
      Kind: 'proxy-defaults',
      Name: 'global',
      Namespace: 'team-a',
      Partition: 'east',
      Meta: { team: 'edge', Tier: '1' },
      Config: { protocol: 'http', Some_Key: { connect_timeout_ms: 5, list: [1, [2], { Deep: null }] }, empty: {}, zero: 0 },
      Mode: 'transparent',
      TransparentProxy: { OutboundListenerPort: 15001, DialedDirectly: true },
      MutualTLSMode: 'permissive',
      MeshGateway: { Mode: 'local' },
      Expose: {
        Checks: true,
        Paths: [{ ListenerPort: 21500, Path: '/health', LocalPathPort: 8080, Protocol: 'http2', ParsedFromCheck: true }],
      },
      AccessLogs: { Enabled: true, DisableListenerLogs: true, Type: 'file', Path: '/var/log/a.log', TextFormat: '%START_TIME%' },
      FailoverPolicy: { Mode: 'sequential', Regions: ['eu-west-1', 'us-east-1'] },
      PrioritizeByLocality: { Mode: 'failover' },
      EnvoyExtensions: [
        {
          Name: 'builtin/lua',
          Required: true,
          Arguments: { ProxyType: 'connect-proxy', Script: 'x' },
          ConsulVersion: '>= 1.16',
          EnvoyVersion: '1.27',
        },
      ],
    },
    { Kind: 'proxy-defaults', Name: 'global', AccessLogs: { Type: 'stdout', JSONFormat: '{"t": "%START_TIME%"}' } },
  ],
  stored: [
    { what: 'an entry without a name as "global"', sent: { Name: '' }, stored: { Name: 'global' } },
    {
      what: 'every digit of integers that exceed the precision of a double',
      sent: global({ Config: { large: 12345678901234567890n } }),
      stored: { Config: { large: 12345678901234567890n } },
    },
    {
      what: 'a list of one record, the form of an HCL block, as the record',
      sent: global({ Config: [{ a: 1 }] }),
      stored: { Config: { a: 1 } },
    },
    {
      what: 'a socket directory of 70 characters',
      sent: global({ Config: { envoy_hcp_metrics_bind_socket_dir: 'x'.repeat(70) } }),
      stored: { Name: 'global' },
    },
  ],
  refused: [
    { at: 'Name', what: 'a name other than "global"', sent: {} },
    { at: 'Mode', what: 'a mode that is invalid', sent: global({ Mode: 'opaque' }) },
    { at: 'MutualTLSMode', what: 'an invalid mutual TLS mode', sent: global({ MutualTLSMode: 'Strict' }) },
    { at: 'MeshGateway.Mode', what: 'an invalid mesh gateway mode', sent: global({ MeshGateway: { Mode: 'near' } }) },
    {
      at: 'Config.envoy_hcp_metrics_bind_socket_dir',
      what: 'a socket directory of 71 characters',
      sent: global({ Config: { envoy_hcp_metrics_bind_socket_dir: 'x'.repeat(71) } }),
    },
    { at: 'Config', what: 'a Config that is not a map', sent: global({ Config: 'protocol=http' }) },
    { at: 'AccessLogs', what: 'two formats of access logs', sent: logs({ JSONFormat: '{}', TextFormat: 'x' }) },
    { at: 'AccessLogs.JSONFormat', what: 'a JSON format that is invalid', sent: logs({ JSONFormat: '{' }) },
    { at: 'AccessLogs.Type', what: 'an invalid type of access logs', sent: logs({ Type: 'syslog' }) },
    { at: 'AccessLogs.Path', what: 'access logs to a file without a path', sent: logs({ Type: 'file' }) },
    { at: 'AccessLogs.Path', what: 'a path of access logs that do not go to a file', sent: logs({ Type: 'stderr', Path: '/x' }) },
    { at: 'FailoverPolicy.Mode', what: 'an invalid failover policy', sent: global({ FailoverPolicy: { Mode: 'random' } }) },
    {
      at: 'PrioritizeByLocality.Mode',
      what: 'an invalid priority by locality',
      sent: global({ PrioritizeByLocality: { Mode: 'x' } }),
    },
    {
      at: 'EnvoyExtensions[1].Name',
      what: 'an extension that is not built in',
      sent: global({ EnvoyExtensions: [{ Name: 'builtin/wasm' }, { Name: 'own' }] }),
    },
    {
      at: 'EnvoyExtensions[0].Name',
      what: 'an extension without a name',
      sent: global({ EnvoyExtensions: [{ Required: true }] }),
    },
  ],
})
