/**
 * The aliases of members, which are those of Consul's published client.
 */
import { describe, expect, it } from 'vitest'
import { snakeCase } from '../../../../../src/configsvc/entries/members/snake-case.ts'

describe('the snake-case alias of the entry member', () => {
  it.each([
    ['Protocol', 'protocol'],
    ['ConnectTimeout', 'connect_timeout'],
    ['MeshGateway', 'mesh_gateway'],
    ['PathExact', 'path_exact'],
    ['EnforcingConsecutive5xx', 'enforcing_consecutive_5xx'],
    ['LocalConnectTimeoutMs', 'local_connect_timeout_ms'],
    ['ExternalSNI', 'external_sni'],
    ['MutualTLSMode', 'mutual_tls_mode'],
    ['AllowEnablingPermissiveMutualTLS', 'allow_enabling_permissive_mutual_tls'],
    ['SanitizeXForwardedClientCert', 'sanitize_x_forwarded_client_cert'],
    ['SourceIP', 'source_ip'],
    ['JSONWebKeySet', 'json_web_key_set'],
    ['TLSMinVersion', 'tls_min_version'],
    ['EnvoyListenerJSON', 'envoy_listener_json'],
    ['CAFile', 'ca_file'],
    ['TTL', 'ttl'],
  ])('%s is %s', (name, alias) => {
    expect(snakeCase(name)).toBe(alias)
  })
})
