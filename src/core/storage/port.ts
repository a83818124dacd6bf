/**
 * The Storage port: what the kernel needs of the system that stores its records.
 */

/** Strictly increasing number of the store's commits. As an expectation, 0 means that the key does not exist. */
export type Revision = number

export interface Entry {
  readonly key: string
  /** A copy: the receiver may keep or overwrite it. */
  readonly value: Uint8Array
  /** The revision of the commit that last wrote this key. Never reused, not even after a delete. */
  readonly version: Revision
}

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
      /** Every expectation held, and everything was written. */
      readonly ok: true
      /** The revision that the commit gave to what it wrote. */
      readonly revision: Revision
      /** One index per `append`, in the order of the ops. */
      readonly appended: readonly number[]
    }
  | Conflict

export interface Conflict {
  /** An expectation did not hold, and nothing was written. */
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
   * Why a resolved commit may be lost in a crash nevertheless, as far as the storage knows: a setting of its server, in one sentence. It
   * may be known only after the storage has been used.
   */
  readonly risk?: string | undefined
  /** Whether other processes may write to the same store, so that records read earlier may have changed. */
  readonly shared: boolean
  /** Maximum ops per commit, at least 128: the kernel's own writes take at most 120, and the rest is for ops that it adds. */
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
   * The keys with the watched prefix that were written or deleted, in any order. Null if the store no longer knows them: everything with
   * the prefix may have changed.
   */
  readonly keys: readonly string[] | null
}

/**
 * The interface to all durable data. Keys are UTF-8 text of 1 to 1,900 bytes, compared byte by byte. Values are bytes, already encrypted if
 * they come from a kernel, and are copied before a method returns its promise. All methods may run concurrently. After `close()` every
 * method rejects with a TypeError. A method that cannot reach its store rejects with the error it got; the kernel then answers 503 with
 * that error as `cause`. Every call must end: a remote store needs a time limit of its own, because only the storage knows the outcome of
 * the call and what to do with the connection. The kernel waits as long as the storage does, and so do all requests that need the same
 * record. Only the kernel's `close()` limits each call to `effectTimeoutMs`, and refuses (503) the requests that still wait for one.
 */
export interface Storage {
  readonly caps: Capabilities
  /** Undefined if the key does not exist, never an error. Sees every commit that resolved before the call. */
  get(key: string): Promise<Entry | undefined>
  /** The same as single `get`s, in order; not necessarily one snapshot. */
  getMany(keys: readonly string[]): Promise<readonly (Entry | undefined)[]>
  /** Optional synchronous `get`. With it, the kernel's first use of a record needs no promise. */
  getSync?(key: string): Entry | undefined
  /** Entries whose keys start with `prefix`, in byte order. */
  scan(prefix: string, options?: Page): Promise<readonly Entry[]>
  /**
   * Names below `prefix`, relative to it, in byte order. With a `delimiter`, everything after its first occurrence is folded into one name
   * that ends with the delimiter. A key equal to `prefix` is not listed.
   */
  list(prefix: string, options?: Page & { readonly delimiter?: string }): Promise<readonly string[]>
  /**
   * Atomic; resolves when durable. Every `expect` is tested against the state to which the writes apply; a write without one is
   * unconditional. A key occurs at most once per commit, and limits must be kept (else TypeError). A conflict is a result, never an error.
   * `id` is unique per commit: if it is repeated, nothing is written and the first verdict is returned. A store remembers at least its last
   * 1,000 ids. A commit that writes nothing (no ops, or only checks) may leave the revision unchanged. Rejects with {@link OutcomeUnknown}
   * if it cannot learn whether the commit took effect; the kernel then repeats the call with the same id.
   */
  commit(ops: readonly Op[], id: string): Promise<Commit>
  /**
   * Optional: adds writes to the application's open transaction on the same store, so that they take effect together with it or not at all.
   * Every `expect` must hold when that transaction commits: it is tested either then, or now under locks that are held until then. If it is
   * tested now and fails, nothing is written and the conflict is returned. Appended records of several calls are in the order of the calls;
   * they get the next free indexes when the transaction commits. Only for storages whose watchers are notified of commits: the kernel sees
   * its writes after the application has committed.
   * @param transaction The value that the storage's documentation describes.
   * @throws TypeError for any other value, for a transaction that has ended, and for a key that it already writes.
   */
  join?(ops: readonly Op[], transaction: unknown): Promise<Conflict | undefined>
  /**
   * The newest revision. With `fresh`, no older than the newest commit of any process at the time of the call. Watchers of everything are
   * notified of this revision or a later one; a kernel that waits longer for that than its caches may be stale drops them. So a store that
   * polls for commits must poll, and call its watchers, before a `fresh` answer resolves.
   */
  revision(fresh?: boolean): Promise<Revision>
  /**
   * Calls `onChange` for every commit after `from` that touches `prefix`, commits of this process included, in order and at least once
   * each, until the returned function is called. Commits that the store no longer remembers individually are reported as one change with
   * `keys: null`. `onChange` must not throw.
   */
  watch(prefix: string, from: Revision, onChange: (change: Change) => void): Promise<() => Promise<void>>
  /** Idempotent. */
  close(): Promise<void>
}

/** The largest key in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1900

/** The key at which `get` and `scan` find record `index` of a log. The index is zero-padded, so that byte order is log order. */
export const logKey = (log: string, index: number): string => `${log}/${String(index).padStart(16, '0')}`

/** The index of the record with this key in `log`, or 0 if the key is not in it. */
export function logIndex(log: string, key: string): number {
  const digits = key.startsWith(`${log}/`) ? key.slice(log.length + 1) : ''
  return /^\d{16}$/.test(digits) ? Number(digits) : 0
}

/** Thrown by `commit` if the outcome cannot be learned, for example after a lost connection. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}
