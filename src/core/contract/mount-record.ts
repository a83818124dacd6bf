/**
 * A mount as it is stored: an engine at a path.
 */
import { jsonRecord, type RecordKind } from './record-kind.ts'

/** The tuned settings. Members that were never set are absent. */
export interface MountConfig {
  /** Seconds; 0 means the system's. */
  readonly default_lease_ttl: number
  /** Seconds; 0 means the system's. May exceed the system's. */
  readonly max_lease_ttl: number
  /** Kept for clients; it has no effect, since caches hold no more than the store. */
  readonly force_no_cache: boolean
  /** Request parameters that an audit log shows in the clear. */
  readonly audit_non_hmac_request_keys?: readonly string[]
  /** Reply members that an audit log shows in the clear. */
  readonly audit_non_hmac_response_keys?: readonly string[]
  /** `unauth`: consoles see the mount without a token. `hidden`: they do not. */
  readonly listing_visibility?: 'hidden' | 'unauth'
  /** Kept for clients; no engine reads headers. */
  readonly passthrough_request_headers?: readonly string[]
  /** Kept for clients; no engine sends headers. */
  readonly allowed_response_headers?: readonly string[]
  /** Auth methods only. */
  readonly token_type?: 'default-service' | 'default-batch' | 'service' | 'batch'
}

export interface MountRecord {
  /** Names the mount's part of the store; it never changes. */
  readonly uuid: string
  /** The type given when the mount was made, so that `kubernetes` stays `kubernetes`. */
  readonly type: string
  /** Relative to its namespace, with a slash at the end; the path of an auth method begins with `auth/`. */
  readonly path: string
  /** Names the mount, also after it was moved. */
  readonly accessor: string
  /** The uuid of the namespace it lies in. */
  readonly namespace: string
  /** For people. */
  readonly description: string
  /** Whether the mount is excluded from replication. */
  readonly local: boolean
  /** The value that was asked for. */
  readonly seal_wrap: boolean
  /** Null for the mounts that every namespace begins with. */
  readonly options: Readonly<Record<string, string>> | null
  /** What was set. */
  readonly config: MountConfig
  /** When the mount was tuned to a later version of its engine, in milliseconds; absent where it never was. */
  readonly upgraded?: number
  /** The mount is gone for every caller, but its engine still has leases to revoke. */
  readonly ending?: true
  /** Secrets of the mount are kept elsewhere, too: whoever keeps them is told of changes. */
  readonly synced?: true
}

/** Kept in the kernel's own part of the store, at `r/core/mount/<uuid>`; where {@link isLocal} holds it is {@link LOCAL_MOUNT}. */
export const MOUNT = /* @__PURE__ */ jsonRecord<MountRecord>({ folder: 'mount', guarded: true })

/** Kept at `l/core/mount/<uuid>`. */
export const LOCAL_MOUNT = /* @__PURE__ */ jsonRecord<MountRecord>({ class: 'l', folder: 'mount', guarded: true })

/**
 * Whether all that is stored of a mount stays in its cluster. The cubbyhole is marked `local` and its record is replicated all the same,
 * because every namespace has one on every cluster; what it keeps is of class `l` by itself.
 */
export const isLocal = ({ local, type }: MountRecord): boolean => local && type !== 'cubbyhole'

/** The kind that a mount's record is stored as. */
export const mountKind = (record: MountRecord): RecordKind<MountRecord> => (isLocal(record) ? LOCAL_MOUNT : MOUNT)

/** The most characters of a mount's path, not counting the `auth/` of an auth method. */
export const MAX_MOUNT_PATH_CHARACTERS = 512

/** The path prefix of auth methods. */
export const AUTH_MOUNT_PREFIX = 'auth/'

export const isAuth = ({ path }: MountRecord): boolean => path.startsWith(AUTH_MOUNT_PREFIX)

/** The default and the maximum TTL of tokens and secrets where nothing else is set: 768 hours, in seconds. */
export const SYSTEM_TTL_SECONDS = 2_764_800

/** The bounds that result from a mount's tuning, in seconds. */
export function effectiveTtl({ config }: MountRecord): { readonly fallback: number; readonly max: number } {
  const max = config.max_lease_ttl || SYSTEM_TTL_SECONDS
  return { fallback: Math.min(config.default_lease_ttl || SYSTEM_TTL_SECONDS, max), max }
}
