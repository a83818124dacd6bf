/**
 * The port of secret sync: one destination for each kind of external store.
 */
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
}

export interface SyncPutResult {
  /** What the store calls the value. */
  readonly externalVersion?: string
  readonly created: boolean
}

export interface SyncRemove {
  readonly name: string
  readonly externalVersion?: string
  readonly opId: string
}

export interface SyncDescribe {
  readonly name: string
  /** The tag that all that is pushed from here carries. */
  readonly mark?: string
}

/** What the store says of a name, without its value. */
export interface SyncDescription {
  readonly exists: boolean
  readonly externalVersion?: string
  /** Whether it carries the mark of what is pushed from here; absent: the store cannot say, or was not told the mark. */
  readonly managed?: boolean
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
  describe?(request: SyncDescribe, signal: AbortSignal): Promise<SyncDescription>
  /** Gives back all connections. Idempotent. */
  close(): Promise<void>
}

export interface SyncDestination {
  readonly type: SyncType
  readonly rules: SyncRules
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
