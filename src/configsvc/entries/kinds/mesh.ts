/** mesh: settings for the mesh as a whole. */
import { checkTls, curves, TLS_SETTINGS } from '../common/tls.ts'
import { defineKind, type EntryType } from '../kind.ts'
import { bool, record, word } from '../members/index.ts'
import { onlyName } from '../names.ts'

const ESCAPED_SLASHES = [
  'IMPLEMENTATION_SPECIFIC_DEFAULT',
  'KEEP_UNCHANGED',
  'REJECT_REQUEST',
  'UNESCAPE_AND_REDIRECT',
  'UNESCAPE_AND_FORWARD',
] as const

const UNDERSCORES = ['ALLOW', 'REJECT_REQUEST', 'DROP_HEADER'] as const

const direction = record(
  { ...TLS_SETTINGS, ECDHCurves: curves() },
  {
    rule: ({ TLSMinVersion: min, TLSMaxVersion: max, CipherSuites: ciphers, ECDHCurves }, path) =>
      checkTls({ min, max, ciphers, curves: ECDHCurves }, path),
  },
)

const requestNormalization = record({
  InsecureDisablePathNormalization: bool(),
  MergeSlashes: bool(),
  PathWithEscapedSlashesAction: word(ESCAPED_SLASHES),
  HeadersWithUnderscoresAction: word(UNDERSCORES),
})

export const mesh = defineKind({
  name: 'mesh',
  members: {
    TransparentProxy: record({ MeshDestinationsOnly: bool() }),
    AllowEnablingPermissiveMutualTLS: bool(),
    ValidateClusters: bool(),
    TLS: record({ Incoming: direction, Outgoing: direction }),
    HTTP: record({
      SanitizeXForwardedClientCert: bool(),
      Incoming: record({ RequestNormalization: requestNormalization }),
    }),
    Peering: record({ PeerThroughMeshGateways: bool() }),
  },
  nameOf: onlyName('mesh'),
  readers: () => [],
  writers: () => [{ permission: 'mesh:write' }],
})

export type Mesh = EntryType<typeof mesh>
