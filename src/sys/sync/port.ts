/** The port for secret sync: one destination for each type of external store. */
import type { AmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import type { SyncType } from './types.ts'

/** The configuration of a destination by the names of the API's parameters, including credentials in plaintext. */
export type SyncConfig = Readonly<Record<string, unknown>>

export type SyncGranularity = 'secret-path' | 'secret-key'

export interface SyncRules {
  readonly maxNameLength: number
  /** The maximum length in bytes of UTF-8. */
  readonly maxValueBytes: number
  readonly granularityDefault: SyncGranularity
  /** Whether the store supports tags. */
  readonly tags: boolean
  /** Whether `describe` reports the owner that was passed to `put`. Default: the value of `tags`. */
  readonly marks?: boolean
  /** Replaces characters that the store does not allow. Never shortens the name. */
  normalizeName(raw: string): string
  /** Two names are the same name in the store if this function returns equal strings for them. */
  foldName(name: string): string
}

export interface SyncFieldError {
  /** The parameter of the API. */
  readonly field: string
  /** A rule, such as `must be the name of a region`, that does not contain the value. */
  readonly rule: string
}

/**
 * `create`: the name must not exist. If it exists, nothing changes and the call fails with `conflict`; a store without an atomic create
 * must check first. `replace`: the kernel has found its own secret under the name, or no secret. `adopt`: an operator requested the name,
 * so replace any secret under it.
 */
export type SyncPutMode = 'create' | 'replace' | 'adopt'

export interface SyncPut {
  /** Normalized by `normalizeName`. */
  readonly name: string
  readonly value: string
  /** All tags that the secret must have after the call. */
  readonly tags: Readonly<Record<string, string>>
  /** Tags that were set before and must be removed now. */
  readonly removeTags: readonly string[]
  /** The `externalVersion` that the last push returned. */
  readonly previous?: string
  /** A UUID that is the same for all retries of one push, and different for every other push, even of an earlier value. */
  readonly opId: string
  /** Default `replace`. */
  readonly mode?: SyncPutMode
  /**
   * Identifies the association by 32 hexadecimal digits, which are also the value of the ownership mark among `tags`. A store without tags
   * should keep it elsewhere if it can, such as in a comment.
   */
  readonly owner?: string
}

export interface SyncPutResult {
  /** The store's identifier of the version. */
  readonly externalVersion?: string
  /** False in mode `create` means that a secret of another owner was overwritten between the check and the write. */
  readonly created: boolean
}

export interface SyncRemove {
  readonly name: string
  readonly externalVersion?: string
  readonly opId: string
  /** As in {@link SyncPut}. Secrets of other owners must not be removed. */
  readonly owner?: string
}

export interface SyncDescribe {
  readonly name: string
  /** The name of the tag that all pushed secrets have. */
  readonly mark?: string
  /** The required value of the mark; absent if any value is accepted. */
  readonly owner?: string
  /** The version that the last push returned. */
  readonly externalVersion?: string
}

/** The state of a name, without its value. */
export interface SyncDescription {
  readonly exists: boolean
  readonly externalVersion?: string
  /**
   * Whether the secret has the mark with the owner's value; absent if the store does not know, or if the call named no mark. A name that
   * does not exist may be scheduled for deletion, so that a put would restore it: then, whether the deleted secret has the mark.
   */
  readonly managed?: boolean
  /** Whether a secret without the mark exists under this name, too. */
  readonly foreign?: boolean
}

/**
 * A connection to one configured store. Methods may be called concurrently for different names. The outcome of an aborted call is unknown,
 * so the kernel repeats it with the same arguments; repeating a call must not change its result. `signal` is aborted after the time limit
 * and when the kernel closes. Do not retry inside these methods, because the kernel retries.
 *
 * The kernel never passes errors of these methods on unchanged: see {@link SyncFailure}.
 */
export interface SyncSession {
  put(request: SyncPut, signal: AbortSignal): Promise<SyncPutResult>
  /** Removing a name that does not exist is not an error. */
  remove(request: SyncRemove, signal: AbortSignal): Promise<{ readonly existed: boolean }>
  /**
   * The kernel calls this method before each put and each removal, so that it never replaces or removes secrets of other owners. If it is
   * absent, the kernel replaces and removes only names that a put in mode `create` has created.
   */
  describe?(request: SyncDescribe, signal: AbortSignal): Promise<SyncDescription>
  /** Closes all connections. Idempotent. */
  close(): Promise<void>
}

export interface SyncDestination {
  readonly type: SyncType
  readonly rules: SyncRules
  /**
   * The parameters for credentials. If one of them is empty, the credentials of the process are used. Default: no such parameters, so the
   * credentials of the process are never used.
   */
  readonly ambient_without?: readonly string[]
  /** Namespaces whose destinations may use the credentials of the process. Default: the root namespace. */
  readonly ambient_namespaces?: AmbientNamespaces
  /** Validates a configuration without calling the store. Synchronous. */
  validate(config: SyncConfig): readonly SyncFieldError[]
  /** Opens a session without calling the store. Synchronous. One session is used for all pushes with a configuration. */
  open(config: SyncConfig): SyncSession
}

export const SYNC_FAILURES = [
  /** The store refuses the request or the caller, so the kernel does not retry. */
  'client',
  /** The store failed or cannot be reached; the outcome of the call is unknown. */
  'external',
  'throttled',
  /** The name is in a temporary state, such as being deleted. */
  'conflict',
  /** The call failed before it reached the store. */
  'internal',
] as const
export type SyncFailureKind = (typeof SYNC_FAILURES)[number]

/** The error of a destination. Any other error counts as `external`. The kernel never shows its message. */
export interface SyncFailure extends Error {
  readonly kind: SyncFailureKind
  /** Milliseconds to wait before the next call. */
  readonly retryAfterMs?: number
  /** The store's error code: letters, digits, underscores and periods, at most 60. */
  readonly code?: string
}
