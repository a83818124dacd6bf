/** Settings for how the proxies of one service, or of all services, take part in the mesh. */
import { bool, int, list, record, text, withAlias, word } from '../members/index.ts'

const MODES = ['direct', 'transparent'] as const

const MUTUAL_TLS_MODES = ['strict', 'permissive'] as const

const MESH_GATEWAY_MODES = ['none', 'local', 'remote'] as const

const exposedPath = record({
  ListenerPort: int(),
  Path: text(),
  LocalPathPort: int(),
  Protocol: text(),
  ParsedFromCheck: withAlias(bool(), null),
})

export const MESH_GATEWAY = record({ Mode: word(MESH_GATEWAY_MODES) })

/** Members of service-defaults and proxy-defaults. */
export const PROXY_MODES = {
  Mode: word(MODES),
  TransparentProxy: record({ OutboundListenerPort: int(), DialedDirectly: bool() }),
  MutualTLSMode: word(MUTUAL_TLS_MODES),
  MeshGateway: MESH_GATEWAY,
  Expose: record({ Checks: bool(), Paths: list(exposedPath) }),
}
