/** proxy-defaults: settings for all proxies. */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { parseJson } from '../../../core/json/json.ts'
import { ENVOY_EXTENSIONS } from '../common/envoy-extensions.ts'
import { PROXY_MODES } from '../common/modes.ts'
import { defineKind, type EntryType } from '../kind.ts'
import { bool, type FreeMap, free, list, type MemberRule, record, text, word } from '../members/index.ts'
import { onlyName } from '../names.ts'

const SOCKET_FOLDER = 'envoy_hcp_metrics_bind_socket_dir'

/** The path of a Unix socket may have at most 108 bytes. This limit leaves room for the name of a socket in the folder. */
const MAX_SOCKET_FOLDER_CHARACTERS = 70

const checkConfig: MemberRule<FreeMap> = (config, path) => {
  const folder = config[SOCKET_FOLDER]
  if (typeof folder === 'string' && folder.length > MAX_SOCKET_FOLDER_CHARACTERS)
    throw invalid(`${path}.${SOCKET_FOLDER}: must be at most ${MAX_SOCKET_FOLDER_CHARACTERS} characters`)
}

/** The format of log lines is JSON. Commands for the proxy, such as `%START_TIME%`, are inside its strings. */
function* checkJson(text: string, path: string): Steps<void> {
  try {
    yield* parseJson(toUtf8(text))
  } catch (error) {
    throw error instanceof KernelError ? invalid(`${path}: must be JSON: ${error.message}`) : error
  }
}

const accessLogs = record(
  {
    Enabled: bool(),
    DisableListenerLogs: bool(),
    Type: word(['file', 'stderr', 'stdout']),
    Path: text(),
    JSONFormat: text({ rule: checkJson }),
    TextFormat: text(),
  },
  {
    rule: ({ Type, Path, JSONFormat, TextFormat }, path) => {
      if (JSONFormat && TextFormat) throw invalid(`${path}: JSONFormat and TextFormat must not both be given`)
      if (Type === 'file' && !Path) throw invalid(`${path}.Path: is required if Type is "file"`)
      if (Type !== 'file' && Path) throw invalid(`${path}.Path: requires Type "file"`)
    },
  },
)

export const proxyDefaults = defineKind({
  name: 'proxy-defaults',
  members: {
    Config: free(checkConfig),
    ...PROXY_MODES,
    AccessLogs: accessLogs,
    FailoverPolicy: record({ Mode: word(['sequential', 'order-by-locality']), Regions: list(text()) }),
    PrioritizeByLocality: record({ Mode: word(['none', 'failover']) }),
    EnvoyExtensions: ENVOY_EXTENSIONS,
  },
  nameOf: onlyName('global'),
  readers: () => [],
  writers: () => [{ permission: 'mesh:write' }],
})

export type ProxyDefaults = EntryType<typeof proxyDefaults>
