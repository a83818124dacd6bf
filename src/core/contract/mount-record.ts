/**
 * A mount as it is stored: an engine at a path.
 */
import { jsonRecord } from './record-kind.ts'

/** What tuning sets. Members that were never set are absent. */
export interface MountConfig {
  /** Seconds; 0 is the system's. */
  readonly default_lease_ttl: number
  /** Seconds; 0 is the system's. May be more than the system's. */
  readonly max_lease_ttl: number
  /** Kept for clients: caches hold no more than the store. */
  readonly force_no_cache: boolean
  /** Parameters that an audit shows as they are. */
  readonly audit_non_hmac_request_keys?: readonly string[]
  /** The same of replies. */
  readonly audit_non_hmac_response_keys?: readonly string[]
  /** `unauth`: consoles see the mount without a token. `hidden`: not. */
  readonly listing_visibility?: 'hidden' | 'unauth'
  /** Kept for clients; no engine reads headers. */
  readonly passthrough_request_headers?: readonly string[]
  /** Kept for clients; no engine sends headers. */
  readonly allowed_response_headers?: readonly string[]
  /** Auth methods only. */
  readonly token_type?: 'default-service' | 'default-batch' | 'service' | 'batch'
}

export interface MountRecord {
  /** Names the mount's part of the store; never changes. */
  readonly uuid: string
  /** As it was given when the mount was made, so that `kubernetes` stays `kubernetes`. */
  readonly type: string
  /** Relative to its namespace, with a slash at the end; an auth method's begins with `auth/`. */
  readonly path: string
  /** Names the mount wherever it is moved to. */
  readonly accessor: string
  /** The uuid of the namespace it lies in. */
  readonly namespace: string
  /** For people. */
  readonly description: string
  /** Whether it stays out of replication. */
  readonly local: boolean
  /** As it was asked for. */
  readonly seal_wrap: boolean
  /** Null for the mounts every namespace is born with. */
  readonly options: Readonly<Record<string, string>> | null
  /** What was set. */
  readonly config: MountConfig
  /** When it was tuned to a later version of its engine, in milliseconds; absent for a mount that has always been what it is. */
  readonly upgraded?: number
  /** It is gone for everybody, but its engine has leases to revoke. */
  readonly ending?: true
}

/** Kept in the kernel's own part of the store, at `r/core/mount/<uuid>`. */
export const MOUNT = /* @__PURE__ */ jsonRecord<MountRecord>({ folder: 'mount', guarded: true })

/** Characters of a mount's path, without what it begins with for being an auth method. */
export const LONGEST_MOUNT_PATH = 512

/** Auth methods lie below it. */
export const AUTH = 'auth/'

export const isAuth = ({ path }: MountRecord): boolean => path.startsWith(AUTH)

/** How long what a token or a secret is good for when nothing else says so, and at most: 768 hours, in seconds. */
export const SYSTEM_TTL = 2_764_800

/** The bounds a mount's tuning comes to, in seconds. */
export function effectiveTtl({ config }: MountRecord): { readonly fallback: number; readonly max: number } {
  const max = config.max_lease_ttl || SYSTEM_TTL
  return { fallback: Math.min(config.default_lease_ttl || SYSTEM_TTL, max), max }
}
