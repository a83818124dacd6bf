/**
 * The port of secret sync: one destination for each kind of external store.
 */
import type { AmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import type { SyncType } from './types.ts'

/** What was configured of a destination, under the names of the endpoints; credentials are in it as they are. */
export type SyncConfig = Readonly<Record<string, unknown>>

export type SyncGranularity = 'secret-path' | 'secret-key'

export interface SyncRules {
  /** Characters. */
  readonly maxNameLength: number
  /** Bytes of UTF-8. */
  readonly maxValueBytes: number
  readonly granularityDefault: SyncGranularity
  /** Whether the store keeps tags. */
  readonly tags: boolean
  /** Whether `describe` reports the owner that a secret was put with. Default: `tags`. */
  readonly marks?: boolean
  /** The name as the store takes it: what it does not allow is replaced. Never cut. */
  normalizeName(raw: string): string
  /** Two names are one in the store if this makes them equal. */
  foldName(name: string): string
}

export interface SyncFieldError {
  /** The parameter of the endpoint. */
  readonly field: string
  /** A sentence without any value. */
  readonly rule: string
}

/**
 * `create`: nothing may exist under the name. If something does, it stays as it is and the call fails with `conflict`. A store that cannot
 * make this one atomic step has to look first. `replace`: the kernel has found its own secret there, or none. `adopt`: an operator has asked
 * for the name, so whatever is there is replaced.
 */
export type SyncPutMode = 'create' | 'replace' | 'adopt'

export interface SyncPut {
  /** Normalised. */
  readonly name: string
  readonly value: string
  /** All of them. */
  readonly tags: Readonly<Record<string, string>>
  /** Those that were set before and are no more. */
  readonly removeTags: readonly string[]
  /** What the store called the last value that was pushed. */
  readonly previous?: string
  /** A UUID: the same whenever one push is tried again, and another for every other push, also of an earlier value. */
  readonly opId: string
  /** Default `replace`. */
  readonly mode?: SyncPutMode
  /**
   * Which association pushes: 32 hexadecimal digits, the value of the mark among `tags`. A store without tags keeps it in another place if it
   * has one, such as a comment.
   */
  readonly owner?: string
}

export interface SyncPutResult {
  /** What the store calls the value. */
  readonly externalVersion?: string
  /** False in mode `create` means that something foreign was overwritten in the moment between looking and writing. */
  readonly created: boolean
}

export interface SyncRemove {
  readonly name: string
  readonly externalVersion?: string
  readonly opId: string
  /** As in {@link SyncPut}: secrets of other owners stay. */
  readonly owner?: string
}

export interface SyncDescribe {
  readonly name: string
  /** The tag that all pushed secrets carry. */
  readonly mark?: string
  /** The value that the mark has to have; absent: any value. */
  readonly owner?: string
  /** The version that the last push was answered with. */
  readonly externalVersion?: string
}

/** What the store says of a name, without its value. */
export interface SyncDescription {
  readonly exists: boolean
  readonly externalVersion?: string
  /**
   * Whether it carries the mark with the owner's value; absent: the store does not know, or the call named no mark. For a name that does not exist
   * but waits for its deletion, so that a put would restore it: whether the waiting secret carries the mark.
   */
  readonly managed?: boolean
  /** Under the name there is also something that does not carry the mark. */
  readonly foreign?: boolean
}

/**
 * One configured store. All methods may be called concurrently, for other names; what became of a call that was given up nobody knows, and it
 * is asked again with the same values, so doing something a second time has to come to the same. `signal` is aborted at the deadline, and
 * when the kernel closes. Nothing waits inside to try again: the kernel does that.
 *
 * Whatever is thrown never leaves the kernel as it is: see {@link SyncFailure}.
 */
export interface SyncSession {
  put(request: SyncPut, signal: AbortSignal): Promise<SyncPutResult>
  /** A name that is not there is no failure. */
  remove(request: SyncRemove, signal: AbortSignal): Promise<{ readonly existed: boolean }>
  /**
   * The kernel calls it before each put and each removal, so that it replaces and removes nothing of other owners. Without it only names that
   * a put in mode `create` has created are replaced and removed.
   */
  describe?(request: SyncDescribe, signal: AbortSignal): Promise<SyncDescription>
  /** Gives back all connections. Idempotent. */
  close(): Promise<void>
}

export interface SyncDestination {
  readonly type: SyncType
  readonly rules: SyncRules
  /** Parameters with credentials: where one of them is empty, credentials of the process are used. Default: that is never so. */
  readonly ambient_without?: readonly string[]
  /** Namespaces whose destinations may do that. Default: the root namespace alone. */
  readonly ambient_namespaces?: AmbientNamespaces
  /** Judges what was configured, without asking anybody. Answers at once. */
  validate(config: SyncConfig): readonly SyncFieldError[]
  /** Answers at once, without asking anybody; one session serves all pushes of a configuration. */
  open(config: SyncConfig): SyncSession
}

export const SYNC_FAILURES = [
  /** What was asked, or by whom, the store does not take: it is not tried again by itself. */
  'client',
  /** The store failed or cannot be reached: what became of the call nobody knows. */
  'external',
  'throttled',
  /** The name is in a state that passes, such as being deleted. */
  'conflict',
  /** Something of ours failed before the store was asked. */
  'internal',
] as const
export type SyncFailureKind = (typeof SYNC_FAILURES)[number]

/** What a destination throws. Any other error counts as `external`. Of its text nothing is shown. */
export interface SyncFailure extends Error {
  readonly kind: SyncFailureKind
  /** Milliseconds that the store asks to wait. */
  readonly retryAfterMs?: number
  /** The store's own code: letters, digits, underscores and periods, at most 60. */
  readonly code?: string
}
