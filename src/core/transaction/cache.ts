import type { RecordKind } from '../contract/record-kind.ts'
import type { Change, Revision } from '../storage/port.ts'

export interface CachedRecord<T> {
  readonly version: Revision
  readonly value: T
  /** Set by every hit and cleared by the eviction sweep. The sweep does not evict a record whose mark is set. */
  used: boolean
}

/** The cached records of one kind in one mount. `prefix` is the part of the key before the id. */
export class RecordTable<T> {
  readonly kind: RecordKind<T>
  readonly prefix: string
  readonly entries = new Map<string, CachedRecord<T>>()
  /**
   * Ids of records that were absent when they were last read. Only transactions that write use them, because their commit verifies the
   * versions that were read. So if the record exists by now, the commit conflicts.
   */
  readonly absent = new Set<string>()
  /** How often a record was found here, and how often it had to be loaded. */
  hits = 0
  misses = 0
  /**
   * The position of the eviction sweep. It is kept between sweeps, because a new iterator would have to skip the gaps that deleted and
   * moved entries leave at the beginning of the map.
   */
  #hand: Iterator<[string, CachedRecord<T>]> | undefined

  constructor(kind: RecordKind<T>, prefix: string) {
    this.kind = kind
    this.prefix = prefix
  }

  clear(): void {
    this.entries.clear()
    this.absent.clear()
  }

  /** The oldest entry. The caller must delete it or move it to the end. */
  oldest(): [string, CachedRecord<T>] | undefined {
    const next = this.#hand?.next()
    if (next && !next.done) return next.value
    this.#hand = this.entries.entries()
    const first = this.#hand.next()
    return first.done ? undefined : first.value
  }
}

/**
 * A load or commit that is in progress and concerns one storage key. `newest` is the newest revision at which the key was reported as
 * changed since the load or commit began, or 0. A value that is older than `newest` must not be cached.
 */
export interface PendingAccess {
  newest: Revision
}

/** For synchronous loads: no change can have been reported between the beginning and the end of such a load. */
export const NOTHING_REPORTED: PendingAccess = { newest: 0 }

/**
 * The maximum number of negative entries per table. Most negative entries are ids of settings that have their default values and therefore
 * no record.
 */
const MAX_NEGATIVE_ENTRIES = 64

/** The number of cached records, and how often a needed record was in the cache. */
export interface RecordCacheUse {
  /** The number of cached records. */
  readonly records: number
  /** How often a needed record was in the cache. */
  readonly hits: number
  /** How often a needed record had to be loaded. */
  readonly misses: number
}

/**
 * A cache of decoded records, with a limit for each table. Only transactions that write use negative entries (ids of absent records). A
 * transaction that only reads considers a record absent only if it has found no record in the store.
 */
export class RecordCache {
  readonly #tables = new Map<string, RecordTable<unknown>>()
  readonly #accesses = new Map<string, Set<PendingAccess>>()
  readonly #listeners = new Set<(change: Change) => void>()
  readonly #limit: number

  /** @param limit Maximum number of records per kind and mount. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Calls the listener for every change before any reader can see its result: for commits of this process when they return, for commits of
   * other processes when they are reported.
   * @returns A function that removes the listener.
   */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  get use(): RecordCacheUse {
    const use = { records: 0, hits: 0, misses: 0 }
    for (const { entries, hits, misses } of this.#tables.values()) {
      use.records += entries.size
      use.hits += hits
      use.misses += misses
    }
    return use
  }

  table<T>(kind: RecordKind<T>, prefix: string): RecordTable<T> {
    const known = this.#tables.get(prefix)
    if (known) return known as RecordTable<T>
    const table = new RecordTable(kind, prefix)
    this.#tables.set(prefix, table as RecordTable<unknown>)
    return table
  }

  /** Caches the result of a load or commit. An older version never replaces a newer one, even if the newer one was already evicted. */
  put<T>(table: RecordTable<T>, id: string, version: Revision, value: T, access: PendingAccess): void {
    if (access.newest > version) return
    const known = table.entries.get(id)
    if (known && known.version > version) return
    if (!known && table.entries.size >= this.#limit) this.#sweep(table)
    table.entries.set(id, { version, value, used: true })
  }

  /** Records that a load found no record with this id. */
  putAbsent<T>({ absent }: RecordTable<T>, id: string, access: PendingAccess): void {
    if (access.newest > 0) return
    if (absent.size >= MAX_NEGATIVE_ENTRIES) absent.clear()
    absent.add(id)
  }

  /** Begins a load of `key`, or a commit that writes it. End it with {@link endAccess}. */
  beginAccess(key: string): PendingAccess {
    const access = { newest: 0 }
    const others = this.#accesses.get(key)
    if (others) others.add(access)
    else this.#accesses.set(key, new Set([access]))
    return access
  }

  endAccess(key: string, access: PendingAccess): void {
    const others = this.#accesses.get(key)
    others?.delete(access)
    if (others?.size === 0) this.#accesses.delete(key)
  }

  /** Applies a commit of any process: drops cached entries that are older than the commit. */
  apply(change: Change): void {
    if (!change.keys) {
      this.clear()
      return
    }
    for (const listener of this.#listeners) listener(change)
    for (const key of change.keys) {
      const at = folderLength(key)
      const table = at > 0 ? this.#tables.get(key.slice(0, at)) : undefined
      if (table) {
        const id = key.slice(at)
        const known = table.entries.get(id)
        if (known && known.version < change.revision) table.entries.delete(id)
        if (table.absent.size > 0) table.absent.delete(id)
      }
      for (const access of this.#accesses.get(key) ?? []) access.newest = Math.max(access.newest, change.revision)
    }
  }

  /** Drops all records of a keyspace that is no longer used. */
  forget(keyspace: string): void {
    for (const [prefix, table] of this.#tables) if (prefix.split('/')[1] === keyspace) table.clear()
  }

  clear(): void {
    for (const listener of this.#listeners) listener({ revision: Number.POSITIVE_INFINITY, keys: null })
    for (const table of this.#tables.values()) table.clear()
    for (const accesses of this.#accesses.values()) for (const access of accesses) access.newest = Number.POSITIVE_INFINITY
  }

  /** Second-chance eviction: drops the oldest record that was not used since the last sweep passed it. */
  #sweep(table: RecordTable<unknown>): void {
    for (let oldest = table.oldest(); oldest; oldest = table.oldest()) {
      const [id, entry] = oldest
      table.entries.delete(id)
      if (!entry.used) return
      entry.used = false
      table.entries.set(id, entry)
    }
  }
}

/** Length of the prefix `class/mount/folder/`: everything up to and including the third slash. */
export function folderLength(key: string): number {
  const first = key.indexOf('/')
  const second = key.indexOf('/', first + 1)
  return second < 0 ? 0 : key.indexOf('/', second + 1) + 1
}
