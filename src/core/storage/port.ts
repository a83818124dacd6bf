/**
 * The Storage port: the methods that the kernel requires of the system that stores its records.
 */

/** A strictly increasing number of the store's commits. As an expectation, 0 means that the key does not exist. */
export type Revision = number

export interface Entry {
  readonly key: string
  /** A copy of the stored bytes: the caller may keep or overwrite it. */
  readonly value: Uint8Array
  /** The revision of the commit that last wrote this key. Never reused, even after a delete. */
  readonly version: Revision
}

/** One operation of a commit: a write, a deletion, a check of a version, or a record to append to a log. */
export type Op =
  | { readonly op: 'put'; readonly key: string; readonly value: Uint8Array; readonly expect?: Revision }
  | { readonly op: 'del'; readonly key: string; readonly expect?: Revision }
  | { readonly op: 'check'; readonly key: string; readonly expect: Revision }
  /**
   * Adds a record at the end of a log. The store assigns consecutive indexes from 1 and never reuses one, even if records were deleted; see
   * {@link logKey}. A log that was copied into an empty store with `put` continues after its last record.
   */
  | { readonly op: 'append'; readonly log: string; readonly value: Uint8Array }

export type Commit =
  | {
      /** Every expectation was met, and everything was written. */
      readonly ok: true
      /** The revision that the commit gave to the records that it wrote. */
      readonly revision: Revision
      /** One index per `append`, in the order of the ops. */
      readonly appended: readonly number[]
    }
  | Conflict

export interface Conflict {
  /** An expectation was not met, and nothing was written. */
  readonly ok: false
  /** The key whose version was not the expected one. */
  readonly conflict: string
  /** The current version of the key; 0 if it does not exist. */
  readonly version: Revision
}

export interface Capabilities {
  /** Whether a resolved commit survives a crash of the process and the machine. */
  readonly durable: boolean
  /**
   * A sentence that says why a crash may lose a resolved commit although the storage is meant to be durable, for example because of a
   * server setting. Undefined if the storage knows of no such risk. It may learn of a risk only while it is used.
   */
  readonly risk?: string | undefined
  /** Whether other processes may write to the same store, so that records read earlier may have changed. */
  readonly shared: boolean
  /**
   * The maximum number of ops per commit, at least 128. The kernel makes commits of at most 120 ops, and may add up to 8 ops for
   * replication.
   */
  readonly maxOps: number
  readonly maxValueBytes: number
}

export interface Page {
  /** Exclusive lower bound: a full key for `scan`, a name as `list` returned it for `list`. */
  readonly after?: string
  readonly limit?: number
}

export interface Change {
  readonly revision: Revision
  /**
   * The written or deleted keys with the watched prefix, in any order. Null if the store no longer knows which keys changed: every record
   * with the prefix may have changed.
   */
  readonly keys: readonly string[] | null
}

/** A failure of a storage, as the message of the kernel's error reports it. Callers over HTTP receive that message too. */
export interface StorageFailure {
  /**
   * The condition and its code, such as `insufficient privilege (42501)`. Contains no secret and no text in which the store may quote
   * records or addresses.
   */
  readonly reported: string
  /** If the store answers but refuses the call, so that waiting does not help: what has to be changed. Absent for an outage. */
  readonly remedy?: string
}

/**
 * The interface to all durable data. All methods may run concurrently.
 *
 * - Keys are UTF-8 strings of 1 to 1,900 bytes, compared byte by byte.
 * - Values are bytes. A kernel encrypts them before it calls the storage. The storage copies the values that it is given before its method
 *   returns a promise.
 * - After `close()`, every method rejects with a TypeError.
 * - A method that cannot reach its store rejects with the error that it got. The kernel then answers 503 with that error as `cause`, and
 *   `describeFailure` says what the message of the answer reports.
 * - Every call must end. A remote store needs a time limit of its own, because only the storage knows the outcome of a call and how to
 *   treat the connection. The kernel waits as long as the call takes, and so do all requests that need the same record.
 * - Only after the kernel's `close()` was called does the kernel limit each storage call to `effectTimeoutMs`. Requests that still wait for
 *   a call then fail with 503.
 */
export interface Storage {
  readonly caps: Capabilities
  /** Returns undefined if the key does not exist, never an error. Sees every commit that resolved before the call. */
  get(key: string): Promise<Entry | undefined>
  /** Returns the same as single `get`s, in the order of the keys; not necessarily from one snapshot. */
  getMany(keys: readonly string[]): Promise<readonly (Entry | undefined)[]>
  /** Optional synchronous `get`. If a storage has this method, the kernel can read a record that is not cached without a promise. */
  getSync?(key: string): Entry | undefined
  /** Returns entries whose keys start with `prefix`, in byte order. */
  scan(prefix: string, options?: Page): Promise<readonly Entry[]>
  /**
   * Returns names below `prefix`, relative to `prefix`, in byte order. With a `delimiter`, all keys that are equal up to the first
   * delimiter become one name, which ends with the delimiter. A key equal to `prefix` is not listed.
   */
  list(prefix: string, options?: Page & { readonly delimiter?: string }): Promise<readonly string[]>
  /**
   * Applies all ops atomically; resolves when they are durable.
   *
   * - Every `expect` is compared with the state of the store immediately before the writes. A write without `expect` is unconditional. A
   *   conflict is a result, never an error.
   * - A key occurs at most once per commit, and the limits in `caps` must be kept (otherwise TypeError).
   * - `id` identifies the commit: if `commit` is called again with the same id, it writes nothing and returns the result of the first call.
   *   A store remembers at least its last 1,000 ids.
   * - A commit that writes nothing (no ops, or only checks) may leave the revision unchanged.
   * - Rejects with {@link OutcomeUnknown} if it cannot learn whether the commit took effect. The kernel then repeats the call with the same
   *   id.
   */
  commit(ops: readonly Op[], id: string): Promise<Commit>
  /**
   * Optional: adds writes to the application's open transaction on the same store, so that they take effect together with that transaction
   * or not at all. Only for storages whose watchers are notified of commits, because the kernel learns from its watch that the application
   * has committed.
   *
   * - Every `expect` must hold when the transaction commits. A storage may test it at that time. Or it tests it in this call and locks the
   *   records until the transaction ends. If a test in this call fails, the call writes nothing and returns the conflict.
   * - Appended records of several calls are in the order of the calls. They get the next free indexes when the transaction commits.
   * @param transaction The open transaction. The documentation of each storage says which value this is.
   * @throws TypeError if `transaction` is any other value, if the transaction has ended, or if it already writes one of the keys.
   */
  join?(ops: readonly Op[], transaction: unknown): Promise<Conflict | undefined>
  /**
   * Returns the newest revision. With `fresh`, the result is no older than the newest commit that any process had made at the time of the
   * call. Watchers of all keys must be notified of this revision or a later one. The kernel drops its caches if a notification arrives
   * later than `cache.stalenessMs` allows. So a storage that polls for commits must poll, and call its watchers, before a call with `fresh`
   * resolves.
   */
  revision(fresh?: boolean): Promise<Revision>
  /**
   * Calls `onChange` for every commit after `from` that touches `prefix`, until the returned function is called. Commits of this process
   * are included. Changes are reported in order and at least once each. Commits that the store no longer remembers individually are
   * reported as one change with `keys: null`. `onChange` must not throw.
   */
  watch(prefix: string, from: Revision, onChange: (change: Change) => void): Promise<() => Promise<void>>
  /**
   * Optional: describes an error with which a method of this storage rejected, or a `cause` of that error. Returns undefined for an error
   * that it does not recognize. Must not throw.
   */
  describeFailure?(error: unknown): StorageFailure | undefined
  /** Closes the storage. Idempotent. */
  close(): Promise<void>
}

/** The maximum length of a key in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1900

/** The key at which `get` and `scan` find record `index` of a log. The index is zero-padded, so that byte order is log order. */
export const logKey = (log: string, index: number): string => `${log}/${String(index).padStart(16, '0')}`

/** The index of the record with this key in `log`, or 0 if the key is not in the log. */
export function logIndex(log: string, key: string): number {
  const digits = key.startsWith(`${log}/`) ? key.slice(log.length + 1) : ''
  return /^\d{16}$/.test(digits) ? Number(digits) : 0
}

/** Thrown by `commit` if the outcome cannot be learned, for example after a lost connection. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}
