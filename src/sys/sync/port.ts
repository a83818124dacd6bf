/** The port of secret sync: one destination for each type of external store. */
import type { AmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import type { SyncType } from './types.ts'

/** The configuration of a destination under the names of the API's parameters, including credentials in clear text. */
export type SyncConfig = Readonly<Record<string, unknown>>

export type SyncGranularity = 'secret-path' | 'secret-key'

export interface SyncRules {
  readonly maxNameLength: number
  /** Bytes of UTF-8. */
  readonly maxValueBytes: number
  readonly granularityDefault: SyncGranularity
  /** Whether the store has tags. */
  readonly tags: boolean
  /** Whether `describe` reports the owner that was passed to `put`. Default: `tags`. */
  readonly marks?: boolean
  /** Replaces characters that the store does not allow. Never shortens the name. */
  normalizeName(raw: string): string
  /** Two names are the same name in the store if this returns equal texts. */
  foldName(name: string): string
}

export interface SyncFieldError {
  /** The parameter of the API. */
  readonly field: string
  /** A rule, such as `must be the name of a region`, that does not contain the value. */
  readonly rule: string
}

/**
 * `create`: the name must not exist. If it does, nothing changes and the call fails with `conflict`. A store without an atomic create has
 * to check first. `replace`: the kernel found its own secret under the name, or none. `adopt`: an operator requested the name, so replace
 * whatever exists.
 */
export type SyncPutMode = 'create' | 'replace' | 'adopt'

export interface SyncPut {
  /** Normalized by `normalizeName`. */
  readonly name: string
  readonly value: string
  /** All tags that the secret must have. */
  readonly tags: Readonly<Record<string, string>>
  /** Tags that were set before and must be removed. */
  readonly removeTags: readonly string[]
  /** The `externalVersion` that the last push returned. */
  readonly previous?: string
  /** A UUID: the same for all retries of one push, and different for every other push, even of an earlier value. */
  readonly opId: string
  /** Default `replace`. */
  readonly mode?: SyncPutMode
  /**
   * Identifies the association: 32 hexadecimal digits, also the value of the ownership mark among `tags`. A store without tags stores it
   * elsewhere if it can, such as in a comment.
   */
  readonly owner?: string
}

export interface SyncPutResult {
  /** The store's identifier of the version. */
  readonly externalVersion?: string
  /** False in mode `create` means that a foreign secret was overwritten between check and write. */
  readonly created: boolean
}

export interface SyncRemove {
  readonly name: string
  readonly externalVersion?: string
  readonly opId: string
  /** As in {@link SyncPut}: do not remove secrets of other owners. */
  readonly owner?: string
}

export interface SyncDescribe {
  readonly name: string
  /** The name of the tag that all pushed secrets have. */
  readonly mark?: string
  /** The required value of the mark; absent: any value. */
  readonly owner?: string
  /** The version that the last push returned. */
  readonly externalVersion?: string
}

/** The state of a name, without its value. */
export interface SyncDescription {
  readonly exists: boolean
  readonly externalVersion?: string
  /**
   * Whether the secret has the mark with the owner's value; absent if the store does not know, or the call named no mark. For a name that
   * does not exist but is scheduled for deletion, so that a put would restore it: whether the deleted secret has the mark.
   */
  readonly managed?: boolean
  /** Whether there is also something without the mark under this name. */
  readonly foreign?: boolean
}

/**
 * One configured store. Methods may be called concurrently for different names. The outcome of an aborted call is unknown, so the kernel
 * repeats it with the same arguments; repeating a call must not change its result. `signal` is aborted at the deadline and when the kernel
 * closes. Do not retry inside: the kernel does.
 *
 * Thrown errors never leave the kernel unchanged: see {@link SyncFailure}.
 */
export interface SyncSession {
  put(request: SyncPut, signal: AbortSignal): Promise<SyncPutResult>
  /** Removing a name that does not exist is not an error. */
  remove(request: SyncRemove, signal: AbortSignal): Promise<{ readonly existed: boolean }>
  /**
   * The kernel calls it before each put and each removal, so that it never replaces or removes secrets of other owners. Without it, only
   * names that a put in mode `create` has created are replaced and removed.
   */
  describe?(request: SyncDescribe, signal: AbortSignal): Promise<SyncDescription>
  /** Closes all connections. Idempotent. */
  close(): Promise<void>
}

export interface SyncDestination {
  readonly type: SyncType
  readonly rules: SyncRules
  /** Credential parameters: if one of them is empty, the credentials of the process are used. Default: never. */
  readonly ambient_without?: readonly string[]
  /** Namespaces whose destinations may use the credentials of the process. Default: the root namespace. */
  readonly ambient_namespaces?: AmbientNamespaces
  /** Validates a configuration without calling the store. Synchronous. */
  validate(config: SyncConfig): readonly SyncFieldError[]
  /** Opens a session without calling the store. Synchronous; one session serves all pushes of a configuration. */
  open(config: SyncConfig): SyncSession
}

export const SYNC_FAILURES = [
  /** The store refuses the request or the caller; the kernel does not retry by itself. */
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
