/** The port for secret sync: one `SyncDestination` for each type of external store. */
import type { AmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import type { SyncType } from './types.ts'

/** The configuration of a destination, keyed by parameter name of the API. Contains credentials in plaintext. */
export type SyncConfig = Readonly<Record<string, unknown>>

export type SyncGranularity = 'secret-path' | 'secret-key'

export interface SyncRules {
  readonly maxNameLength: number
  /** The maximum length of a secret's value, in bytes of UTF-8. */
  readonly maxValueBytes: number
  readonly granularityDefault: SyncGranularity
  /** Whether the external store supports tags. */
  readonly tags: boolean
  /** Whether `describe` can report in `managed` which owner was passed to `put`. Default: the value of `tags`. */
  readonly marks?: boolean
  /** Replaces characters that the external store does not allow. Never shortens the name. */
  normalizeName(raw: string): string
  /** Two names are the same name in the external store if this function returns equal strings for them. */
  foldName(name: string): string
}

export interface SyncFieldError {
  /** The name of the invalid API parameter. */
  readonly field: string
  /** The broken rule, such as `must be the name of a region`. Must not contain the invalid value. */
  readonly rule: string
}

/**
 * `create`: create the secret. If the name exists, change nothing and fail with `conflict`. An external store that cannot create atomically
 * must first check whether the name exists. `replace`: create or replace the secret; the kernel knows that a secret with this name is its
 * own. `adopt`: replace any secret with this name, because an operator requested that.
 */
export type SyncPutMode = 'create' | 'replace' | 'adopt'

export interface SyncPut {
  /** Normalized by `normalizeName`. */
  readonly name: string
  readonly value: string
  /** All tags that the secret must have after the call. */
  readonly tags: Readonly<Record<string, string>>
  /** The names of tags that an earlier call has set and this call must remove. */
  readonly removeTags: readonly string[]
  /** The `externalVersion` that the last `put` of this name returned. */
  readonly previous?: string
  /**
   * A UUID that is the same for all retries of one push. Every other push has a different UUID, even if it pushes an earlier value again.
   */
  readonly opId: string
  /** Default `replace`. */
  readonly mode?: SyncPutMode
  /**
   * 32 hexadecimal digits that identify the association. They are also the value of the ownership mark in `tags`. A destination for an
   * external store without tags should save them elsewhere if possible, for example in a comment.
   */
  readonly owner?: string
}

export interface SyncPutResult {
  /** The identifier that the external store gave to the new version. */
  readonly externalVersion?: string
  /**
   * Whether the name was new. False in mode `create` means that another owner created the name after the check, and the call overwrote it.
   */
  readonly created: boolean
}

export interface SyncRemove {
  readonly name: string
  readonly externalVersion?: string
  readonly opId: string
  /** The owner, as in {@link SyncPut}. Do not remove the secret if it has another owner. */
  readonly owner?: string
}

export interface SyncDescribe {
  readonly name: string
  /** The name of the ownership mark, a tag that all pushed secrets have. */
  readonly mark?: string
  /** The required value of the mark; absent if any value is accepted. */
  readonly owner?: string
  /** The `externalVersion` that the last `put` of this name returned. */
  readonly externalVersion?: string
}

/** The state of one name in the external store, without the secret's value. */
export interface SyncDescription {
  readonly exists: boolean
  readonly externalVersion?: string
  /**
   * Whether the secret has the requested mark with the requested owner as its value; absent if the external store does not know, or if the
   * request has no `mark`. If the secret is deleted but a `put` would restore it, `exists` is false and `managed` describes the deleted
   * secret.
   */
  readonly managed?: boolean
  /** Whether the external store has a second secret with this name, which does not have the mark. */
  readonly foreign?: boolean
}

/**
 * A connection to one configured store. The kernel can call the methods concurrently for different names. The kernel aborts `signal`
 * after the time limit and when it closes. The outcome of an aborted call is unknown, so the kernel repeats the call with the same
 * arguments, which must have the same result as a single call. Do not retry inside these methods, because the kernel retries.
 *
 * Callers of the kernel never see the errors of these methods: the kernel only classifies them, as {@link SyncFailure} describes.
 */
export interface SyncSession {
  put(request: SyncPut, signal: AbortSignal): Promise<SyncPutResult>
  /** Removing a name that does not exist is not an error. */
  remove(request: SyncRemove, signal: AbortSignal): Promise<{ readonly existed: boolean }>
  /**
   * The kernel calls this method before each `put` and each `remove`, to avoid changing secrets of other owners. Without this method, the
   * kernel replaces and removes only secrets that it created with a `put` in mode `create`.
   */
  describe?(request: SyncDescribe, signal: AbortSignal): Promise<SyncDescription>
  /** Closes all connections. Idempotent. */
  close(): Promise<void>
}

export interface SyncDestination {
  readonly type: SyncType
  readonly rules: SyncRules
  /**
   * The names of the parameters for credentials. If a configuration leaves one of them empty, the destination uses the credentials of the
   * process, such as its cloud role. Default: no names, so the credentials of the process are never used.
   */
  readonly ambient_without?: readonly string[]
  /** Namespaces whose destinations may use the credentials of the process. Default: the root namespace. */
  readonly ambient_namespaces?: AmbientNamespaces
  /** Validates a configuration without calling the external store. Synchronous. */
  validate(config: SyncConfig): readonly SyncFieldError[]
  /**
   * Opens a session without calling the external store. Synchronous. The kernel uses one session for all calls with the same configuration.
   */
  open(config: SyncConfig): SyncSession
}

export const SYNC_FAILURES = [
  /** The external store refuses the request or the caller, so the kernel does not retry. */
  'client',
  /** The external store failed or cannot be reached; the outcome of the call is unknown. */
  'external',
  /** The external store refuses the call because of too many calls. */
  'throttled',
  /** The name is in a temporary state, such as being deleted. */
  'conflict',
  /** The call failed before it reached the external store. */
  'internal',
] as const
export type SyncFailureKind = (typeof SYNC_FAILURES)[number]

/** The error that a destination should throw. Any other error counts as `external`. The kernel never shows the message of an error. */
export interface SyncFailure extends Error {
  readonly kind: SyncFailureKind
  /** Milliseconds to wait before the next call. */
  readonly retryAfterMs?: number
  /** The external store's error code: at most 60 letters, digits, underscores and periods. */
  readonly code?: string
}
