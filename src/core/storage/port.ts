/**
 * The Storage port: what the kernel needs from the system that keeps its records.
 */

/** Store-wide, strictly increasing commit number. As an expectation, 0 means "no such key". */
export type Revision = number

export interface Entry {
  readonly key: string
  /** A copy: the receiver may keep or overwrite it. */
  readonly value: Uint8Array
  /** Revision of the commit that last wrote this key. Never reused, not even after a delete. */
  readonly version: Revision
}

export type Op =
  | { readonly op: 'put'; readonly key: string; readonly value: Uint8Array; readonly expect?: Revision }
  | { readonly op: 'del'; readonly key: string; readonly expect?: Revision }
  | { readonly op: 'check'; readonly key: string; readonly expect: Revision }
  /**
   * Adds a record behind the last one of a log. The store assigns dense indexes from 1 and never one twice, also when records
   * were deleted; see {@link logKey}. A log copied into an empty store with `put` goes on behind its last record.
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
  /** The present version of the key; 0 when it does not exist. */
  readonly version: Revision
}

export interface Capabilities {
  /** A resolved commit survives a crash of process and machine. */
  readonly durable: boolean
  /**
   * Why a resolved commit may be lost in a crash all the same, as far as the storage knows: a setting of its server, in a sentence. May be
   * known only after the storage has been used.
   */
  readonly risk?: string | undefined
  /** Others may write to the same store, so records read before may have changed. */
  readonly shared: boolean
  /** The most ops of one commit. The kernel never needs more than 128: its own writes take at most 120, the rest is for what it adds. */
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
   * Keys under the watched prefix that were written or deleted, in any order; or null when the store can no longer tell:
   * everything under the prefix may have changed.
   */
  readonly keys: readonly string[] | null
}

/**
 * All durable data lies behind this port. Keys are UTF-8 text of 1 to 1,900 bytes, compared byte by byte; values are bytes, already
 * encrypted when they come from a kernel, and copied before a method returns its promise. All methods may run concurrently. After `close()`
 * every method rejects with a TypeError. A method that cannot reach its store rejects with the error it got; the kernel answers 503 and
 * keeps the error as the `cause`. Every call must end: a remote store needs its own time limit, because only it knows the outcome of the
 * call and what to do with the connection. The kernel waits as long as the storage does, and so do all requests that need the same record;
 * only `close()` of the kernel gives each call no more than `effectTimeoutMs`, and refuses (503) the requests that still wait for one.
 */
export interface Storage {
  readonly caps: Capabilities
  /** Undefined for an absent key, never an error. Sees every commit that resolved before the call. */
  get(key: string): Promise<Entry | undefined>
  /** The same as single `get`s, in order; not necessarily one snapshot. */
  getMany(keys: readonly string[]): Promise<readonly (Entry | undefined)[]>
  /** Optional fast path with the meaning of `get`. With it the kernel's first use of a record needs no promise. */
  getSync?(key: string): Entry | undefined
  /** Entries whose key starts with `prefix`, in byte order. */
  scan(prefix: string, options?: Page): Promise<readonly Entry[]>
  /**
   * Names below `prefix`, relative to it, in byte order. With a `delimiter` everything after its first occurrence is folded into
   * one name that ends with the delimiter. A key equal to `prefix` is not below it.
   */
  list(prefix: string, options?: Page & { readonly delimiter?: string }): Promise<readonly string[]>
  /**
   * All or nothing; resolves when durable. Every `expect` is tested against the state the writes apply to; without one a write is
   * blind. A key appears at most once per commit, and limits are kept (else TypeError). A conflict is a value, never an error.
   * `id` is unique per commit: when it is repeated, nothing is written and the first verdict is returned; a store remembers at
   * least its last 1,000 ids. A commit that writes nothing (no ops, or only checks) may leave the revision where it is. Rejects
   * with {@link OutcomeUnknown} when it cannot learn whether the commit took effect; the kernel then asks again with the same id.
   */
  commit(ops: readonly Op[], id: string): Promise<Commit>
  /**
   * Optional: adds writes to the application's open transaction on the same store, so that they take effect together with it, or not at
   * all. Every `expect` must hold when that transaction commits: it is tested then, or now under locks that last until then. Where it is
   * tested now and fails, nothing is written and the conflict is returned. Records that are appended by several calls stand in the order of
   * the calls, and their indexes are those that are next when the transaction commits. Only for storages whose watchers learn of commits: the kernel
   * sees its writes when the application has committed.
   * @param transaction As the storage's documentation says.
   * @throws TypeError for any other value, for a transaction that is over, and for a key it already writes.
   */
  join?(ops: readonly Op[], transaction: unknown): Promise<Conflict | undefined>
  /**
   * The newest revision; with `fresh`, no older than the newest commit anywhere at the time of the call. Watchers of everything hear of it,
   * or of a later one; a kernel that waits for that longer than its caches may be old drops them. So a store whose watchers poll for
   * commits polls, and calls them, before a `fresh` answer resolves.
   */
  revision(fresh?: boolean): Promise<Revision>
  /**
   * Calls `onChange` for every commit after `from` that touches `prefix`, own ones included, in order, at least once each, until
   * the returned function is called. Commits that the store no longer remembers individually are reported as one change with
   * `keys: null`. `onChange` must not throw.
   */
  watch(prefix: string, from: Revision, onChange: (change: Change) => void): Promise<() => Promise<void>>
  /** Idempotent. */
  close(): Promise<void>
}

/** The largest key in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1900

/** The key under which record `index` of a log is found by `get` and `scan`: zero-padded, so that byte order is log order. */
export const logKey = (log: string, index: number): string => `${log}/${String(index).padStart(16, '0')}`

/** The index of the record that `key` names in `log`, or 0 when it names none. */
export function logIndex(log: string, key: string): number {
  const digits = key.startsWith(`${log}/`) ? key.slice(log.length + 1) : ''
  return /^\d{16}$/.test(digits) ? Number(digits) : 0
}

/** Thrown by `commit` when the outcome cannot be learnt, such as after a lost connection. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}
