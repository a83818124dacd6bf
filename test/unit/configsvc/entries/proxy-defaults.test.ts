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
      what: 'integers that a double would round with every digit',
      sent: global({ Config: { large: 12345678901234567890n } }),
      stored: { Config: { large: 12345678901234567890n } },
    },
    { what: 'a block of HCL, which comes as a list', sent: global({ Config: [{ a: 1 }] }), stored: { Config: { a: 1 } } },
    {
      what: 'a folder of sockets of 70 characters',
      sent: global({ Config: { envoy_hcp_metrics_bind_socket_dir: 'x'.repeat(70) } }),
      stored: { Name: 'global' },
    },
  ],
  refused: [
    { at: 'Name', what: 'another name', sent: {} },
    { at: 'Mode', what: 'a mode that is invalid', sent: global({ Mode: 'opaque' }) },
    { at: 'MutualTLSMode', what: 'a mode of TLS that is invalid', sent: global({ MutualTLSMode: 'Strict' }) },
    { at: 'MeshGateway.Mode', what: 'a mode of gateways that is invalid', sent: global({ MeshGateway: { Mode: 'near' } }) },
    {
      at: 'Config.envoy_hcp_metrics_bind_socket_dir',
      what: 'a folder of sockets of 71 characters',
      sent: global({ Config: { envoy_hcp_metrics_bind_socket_dir: 'x'.repeat(71) } }),
    },
    { at: 'Config', what: 'settings that are no map', sent: global({ Config: 'protocol=http' }) },
    { at: 'AccessLogs', what: 'two formats', sent: logs({ JSONFormat: '{}', TextFormat: 'x' }) },
    { at: 'AccessLogs.JSONFormat', what: 'a JSON format that is invalid', sent: logs({ JSONFormat: '{' }) },
    { at: 'AccessLogs.Type', what: 'a type that is invalid', sent: logs({ Type: 'syslog' }) },
    { at: 'AccessLogs.Path', what: 'a file without a path', sent: logs({ Type: 'file' }) },
    { at: 'AccessLogs.Path', what: 'a path without a file', sent: logs({ Type: 'stderr', Path: '/x' }) },
    { at: 'FailoverPolicy.Mode', what: 'a policy that is invalid', sent: global({ FailoverPolicy: { Mode: 'random' } }) },
    {
      at: 'PrioritizeByLocality.Mode',
      what: 'a priority that is invalid',
      sent: global({ PrioritizeByLocality: { Mode: 'x' } }),
    },
    {
      at: 'EnvoyExtensions[1].Name',
      what: 'an extension of another make',
      sent: global({ EnvoyExtensions: [{ Name: 'builtin/wasm' }, { Name: 'own' }] }),
    },
    {
      at: 'EnvoyExtensions[0].Name',
      what: 'an extension without a name',
      sent: global({ EnvoyExtensions: [{ Required: true }] }),
    },
  ],
})
