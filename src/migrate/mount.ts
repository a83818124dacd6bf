/** Mounts of the two sides. */
import { type Caller, pathOf } from './party.ts'

export interface MountInfo {
  readonly type: string
  readonly description: string
  /** The version of a KV mount: 1 or 2. */
  readonly version: 1 | 2
  readonly options: unknown
  readonly config: Readonly<Record<string, unknown>>
  readonly local: boolean
  readonly seal_wrap: boolean
}

/** The members of `config` that a migration copies. */
const CONFIG = [
  'default_lease_ttl',
  'max_lease_ttl',
  'audit_non_hmac_request_keys',
  'audit_non_hmac_response_keys',
  'listing_visibility',
  'passthrough_request_headers',
  'allowed_response_headers',
]

/** Reads the mounts of a namespace, by path. */
export async function readMounts(caller: Caller): Promise<ReadonlyMap<string, MountInfo>> {
  const { data = {} } = await caller.call('GET', 'sys/mounts')
  return new Map(Object.entries(data).map(([path, shown]) => [path, infoOf(shown as Record<string, unknown>)]))
}

function infoOf(shown: Readonly<Record<string, unknown>>): MountInfo {
  const options = (shown['options'] ?? {}) as Record<string, unknown>
  const config = (shown['config'] ?? {}) as Record<string, unknown>
  return {
    type: String(shown['type']),
    description: String(shown['description'] ?? ''),
    version: options['version'] === '2' ? 2 : 1,
    options,
    config: Object.fromEntries(CONFIG.flatMap((name) => (isSet(config[name]) ? [[name, config[name]]] : []))),
    local: shown['local'] === true,
    seal_wrap: shown['seal_wrap'] === true,
  }
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== 0 && value !== '' && !(Array.isArray(value) && value.length === 0)

export const createMount = (caller: Caller, path: string, { type, description, options, config, local, seal_wrap }: MountInfo) =>
  caller.call('POST', `sys/mounts/${pathOf(path.replace(/\/$/, ''))}`, { type, description, options, config, local, seal_wrap })
