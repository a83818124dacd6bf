/**
 * mesh (configsvc.md 6.3).
 */
import { describeKind } from './kind-table.ts'

const direction = {
  TLSMinVersion: 'TLSv1_0',
  TLSMaxVersion: 'TLSv1_3',
  CipherSuites: ['TLS_RSA_WITH_AES_256_CBC_SHA', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256'],
}

const tls = (Incoming: object) => ({ Name: 'mesh', TLS: { Incoming } })

const normalization = (RequestNormalization: object) => ({ Name: 'mesh', HTTP: { Incoming: { RequestNormalization } } })

describeKind({
  kind: 'mesh',
  full: [
    {
      Kind: 'mesh',
      Name: 'mesh',
      Meta: { team: 'edge' },
      TransparentProxy: { MeshDestinationsOnly: true },
      AllowEnablingPermissiveMutualTLS: true,
      ValidateClusters: true,
      TLS: { Incoming: direction, Outgoing: { TLSMinVersion: 'TLSv1_2', ECDHCurves: ['X25519MLKEM768', 'P-521'] } },
      HTTP: {
        SanitizeXForwardedClientCert: true,
        Incoming: {
          RequestNormalization: {
            InsecureDisablePathNormalization: true,
            MergeSlashes: true,
            PathWithEscapedSlashesAction: 'UNESCAPE_AND_FORWARD',
            HeadersWithUnderscoresAction: 'DROP_HEADER',
          },
        },
      },
      Peering: { PeerThroughMeshGateways: true },
    },
  ],
  stored: [
    { what: 'an entry without a name as "mesh"', sent: { Name: undefined }, stored: { Name: 'mesh' } },
    { what: 'an entry with an empty name as "mesh"', sent: { Name: '' }, stored: { Name: 'mesh' } },
    {
      what: 'a minimum TLS version that equals the maximum',
      sent: tls({ TLSMinVersion: 'TLSv1_2', TLSMaxVersion: 'TLSv1_2' }),
      stored: { Name: 'mesh' },
    },
    {
      what: 'any maximum TLS version if the minimum is automatic',
      sent: tls({ TLSMinVersion: 'TLS_AUTO', TLSMaxVersion: 'TLSv1_0', CipherSuites: direction.CipherSuites }),
      stored: { TLS: { Incoming: { TLSMinVersion: 'TLS_AUTO' } } },
    },
  ],
  refused: [
    { at: 'Name', what: 'a name other than "mesh"', sent: {} },
    {
      at: 'TLS.Incoming',
      what: 'a maximum TLS version below the minimum',
      sent: tls({ TLSMinVersion: 'TLSv1_3', TLSMaxVersion: 'TLSv1_2' }),
    },
    { at: 'TLS.Incoming.TLSMinVersion', what: 'an invalid TLS version', sent: tls({ TLSMinVersion: 'TLSv1_4' }) },
    { at: 'TLS.Incoming.TLSMaxVersion', what: 'a TLS version in lower case', sent: tls({ TLSMaxVersion: 'tlsv1_2' }) },
    {
      at: 'TLS.Incoming.CipherSuites[1]',
      what: 'an invalid cipher suite',
      sent: tls({ CipherSuites: [direction.CipherSuites[0], 'TLS_AES_128_GCM_SHA256'] }),
    },
    {
      at: 'TLS.Incoming.CipherSuites',
      what: 'cipher suites if only TLS 1.3 is allowed',
      sent: tls({ TLSMinVersion: 'TLSv1_3', CipherSuites: direction.CipherSuites }),
    },
    { at: 'TLS.Incoming.ECDHCurves[0]', what: 'a curve that is invalid', sent: tls({ ECDHCurves: ['P-192'] }) },
    {
      at: 'TLS.Incoming.ECDHCurves',
      what: 'curves for a minimum TLS version of 1.1',
      sent: tls({ TLSMinVersion: 'TLSv1_1', ECDHCurves: ['X25519'] }),
    },
    {
      at: 'HTTP.Incoming.RequestNormalization.PathWithEscapedSlashesAction',
      what: 'an invalid action for escaped slashes',
      sent: normalization({ PathWithEscapedSlashesAction: 'DROP_HEADER' }),
    },
    {
      at: 'HTTP.Incoming.RequestNormalization.HeadersWithUnderscoresAction',
      what: 'an invalid action for header names with underscores',
      sent: normalization({ HeadersWithUnderscoresAction: 'allow' }),
    },
  ],
})
