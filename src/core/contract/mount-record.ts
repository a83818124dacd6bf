/** The stored record of a mount. */
import { type CoreRecordKind, coreRecord } from './core-record.ts'

/** Settings of a mount. Settings that no request has changed are absent. */
export interface MountConfig {
  /** Seconds; 0 means the system's default. */
  readonly default_lease_ttl: number
  /** Seconds; 0 means the system's default. The value may be greater than the system's default. */
  readonly max_lease_ttl: number
  /** Stored for clients only. It has no effect, because the kernel caches only stored records. */
  readonly force_no_cache: boolean
  /** Request parameters that are not hashed in the audit log. */
  readonly audit_non_hmac_request_keys?: readonly string[]
  /** Response members that are not hashed in the audit log. */
  readonly audit_non_hmac_response_keys?: readonly string[]
  /** `unauth`: user interfaces list the mount even without a token. `hidden`: they do not. */
  readonly listing_visibility?: 'hidden' | 'unauth'
  /** Stored for clients only: no engine reads headers. */
  readonly passthrough_request_headers?: readonly string[]
  /** Stored for clients only: no engine sets headers. */
  readonly allowed_response_headers?: readonly string[]
  /** The type of the tokens that logins create. Only for auth methods. */
  readonly token_type?: 'default-service' | 'default-batch' | 'service' | 'batch'
}

export interface MountRecord {
  /** The storage keys of the mount's records contain this uuid. It never changes. */
  readonly uuid: string
  /** The type that the request gave when the mount was created, even if it is an alias such as `kubernetes`. */
  readonly type: string
  /** The path of the mount, relative to the namespace, with a slash at the end. The path of an auth method begins with `auth/`. */
  readonly path: string
  /** Identifies the mount; it does not change when the mount is moved. */
  readonly accessor: string
  /** The uuid of the mount's namespace. */
  readonly namespace: string
  /** A human-readable description. */
  readonly description: string
  /** Whether the mount is excluded from replication. */
  readonly local: boolean
  /** Stored for clients only, because the value has no effect. */
  readonly seal_wrap: boolean
  /** The options of the engine, such as `version` for kv; null for the mounts that every namespace has from the start. */
  readonly options: Readonly<Record<string, string>> | null
  /** The settings of the mount. A lease TTL of 0 means the default of the system. */
  readonly config: MountConfig
  /** Milliseconds since the epoch: when the mount was upgraded to a later version of its engine; absent if never. */
  readonly upgraded?: number
  /** The mount is being removed: requests no longer find it, but its engine still has leases to revoke. */
  readonly ending?: true
  /** Secrets of the mount are synchronized, so secret sync must be notified of changes. */
  readonly synced?: true
}

/** The record kind of mounts, stored at `r/core/mount/<uuid>`. Local mounts ({@link isLocal}) are of the kind {@link LOCAL_MOUNT}. */
export const MOUNT = /* @__PURE__ */ coreRecord<MountRecord>({ folder: 'mount', guarded: true })

/** The record kind of local mounts, stored at `l/core/mount/<uuid>`. */
export const LOCAL_MOUNT = /* @__PURE__ */ coreRecord<MountRecord>({ class: 'l', folder: 'mount', guarded: true })

/**
 * Whether the mount record and all contents of the mount remain in its cluster. This is false for a cubbyhole although it is marked as
 * `local`: every namespace has a cubbyhole on every cluster, so its mount record is replicated. The contents of a cubbyhole always have the
 * record class `l` (replicated to DR secondaries only).
 */
export const isLocal = ({ local, type }: MountRecord): boolean => local && type !== 'cubbyhole'

/** Returns the record kind under which a mount's record is stored. */
export const mountKind = (record: MountRecord): CoreRecordKind<MountRecord> => (isLocal(record) ? LOCAL_MOUNT : MOUNT)

/** The maximum length of a mount's path, without the prefix `auth/` of auth methods. */
export const MAX_MOUNT_PATH_CHARACTERS = 512

/** The path prefix of auth methods. */
export const AUTH_MOUNT_PREFIX = 'auth/'

export const isAuth = ({ path }: MountRecord): boolean => path.startsWith(AUTH_MOUNT_PREFIX)

/** The default and maximum TTL of tokens and secrets: 768 hours. */
export const SYSTEM_TTL_SECONDS = 2_764_800

/** Returns the mount's default and maximum TTL in seconds. */
export function effectiveTtl({ config }: MountRecord): { readonly fallback: number; readonly max: number } {
  const max = config.max_lease_ttl || SYSTEM_TTL_SECONDS
  return { fallback: Math.min(config.default_lease_ttl || SYSTEM_TTL_SECONDS, max), max }
}
