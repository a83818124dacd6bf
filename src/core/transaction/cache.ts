/**
 * Decoded records, each with the version it came from.
 */
import type { RecordKind } from '../contract/record-kind.ts'
import type { Change, Revision } from '../storage/port.ts'

export interface Cached<T> {
  readonly version: Revision
  readonly value: T
  /** Every hit sets it and the sweep clears it: a record that was used since the last sweep stays. */
  used: boolean
}

/** The records of one kind in one mount. `prefix` is the part of the physical key in front of the id. */
export class Table<T> {
  readonly kind: RecordKind<T>
  readonly prefix: string
  readonly entries = new Map<string, Cached<T>>()
  /** Ids that have no record. For runs that write alone: their commits expect what they have read. */
  readonly absent = new Set<string>()
  /**
   * Records in front of the hand were deleted or moved to the end; a new iterator from the front would step over all those gaps each
   * time.
   */
  #hand: Iterator<[string, Cached<T>]> | undefined

  constructor(kind: RecordKind<T>, prefix: string) {
    this.kind = kind
    this.prefix = prefix
  }

  clear(): void {
    this.entries.clear()
    this.absent.clear()
  }

  /** The oldest record, or undefined. The caller removes it or moves it to the end. */
  oldest(): [string, Cached<T>] | undefined {
    const next = this.#hand?.next()
    if (next && !next.done) return next.value
    this.#hand = this.entries.entries()
    const first = this.#hand.next()
    return first.done ? undefined : first.value
  }
}

/** A load or a commit under way, with the newest revision learnt of meanwhile. Anything older than that must not be cached. */
export interface Flight {
  newest: Revision
}

/** Ids without a record that are remembered per table: settings that are as by default, and little else. */
const MOST_ABSENT = 64

/**
 * The cache is bounded per table. Absent records are remembered for writes alone, so whatever else rests on one has always asked the store.
 */
export class RecordCache {
  readonly #tables = new Map<string, Table<unknown>>()
  readonly #flights = new Map<string, Set<Flight>>()
  readonly #listeners = new Set<(change: Change) => void>()
  readonly #limit: number

  /** @param limit The most records kept per kind and mount. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * The listener hears of every change before anybody reads its result: own changes at their commits, others' when they are
   * learnt of.
   * @returns Ends it.
   */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  table<T>(kind: RecordKind<T>, prefix: string): Table<T> {
    const known = this.#tables.get(prefix)
    if (known) return known as Table<T>
    const table = new Table(kind, prefix)
    this.#tables.set(prefix, table as Table<unknown>)
    return table
  }

  /** Takes what a load or a commit brought. An older version never replaces a newer one, even one that has left the cache. */
  put<T>(table: Table<T>, id: string, version: Revision, value: T, flight: Flight): void {
    if (flight.newest > version) return
    const known = table.entries.get(id)
    if (known && known.version > version) return
    if (!known && table.entries.size >= this.#limit) this.#sweep(table)
    table.entries.set(id, { version, value, used: true })
  }

  /** Takes that a load found no record. */
  putAbsent<T>({ absent }: Table<T>, id: string, flight: Flight): void {
    if (flight.newest > 0) return
    if (absent.size >= MOST_ABSENT) absent.clear()
    absent.add(id)
  }

  /** Begins a load of `key`, or a commit that writes it; end it with {@link land}. */
  depart(key: string): Flight {
    const flight = { newest: 0 }
    const others = this.#flights.get(key)
    if (others) others.add(flight)
    else this.#flights.set(key, new Set([flight]))
    return flight
  }

  land(key: string, flight: Flight): void {
    const others = this.#flights.get(key)
    others?.delete(flight)
    if (others?.size === 0) this.#flights.delete(key)
  }

  /** Applies a commit of this or another writer: entries older than it are dropped. */
  apply(change: Change): void {
    if (!change.keys) {
      this.clear()
      return
    }
    for (const listener of this.#listeners) listener(change)
    for (const key of change.keys) {
      const at = endOfFolder(key)
      const table = at > 0 ? this.#tables.get(key.slice(0, at)) : undefined
      if (table) {
        const id = key.slice(at)
        const known = table.entries.get(id)
        if (known && known.version < change.revision) table.entries.delete(id)
        if (table.absent.size > 0) table.absent.delete(id)
      }
      for (const flight of this.#flights.get(key) ?? []) flight.newest = Math.max(flight.newest, change.revision)
    }
  }

  /** Drops the records of a place that nobody works in any more. */
  forget(place: string): void {
    for (const [prefix, table] of this.#tables) if (prefix.split('/')[1] === place) table.clear()
  }

  clear(): void {
    for (const listener of this.#listeners) listener({ revision: Number.POSITIVE_INFINITY, keys: null })
    for (const table of this.#tables.values()) table.clear()
    for (const flights of this.#flights.values()) for (const flight of flights) flight.newest = Number.POSITIVE_INFINITY
  }

  /** Second-chance eviction: the oldest record that was not used since its last inspection is dropped. */
  #sweep(table: Table<unknown>): void {
    for (let oldest = table.oldest(); oldest; oldest = table.oldest()) {
      const [id, entry] = oldest
      table.entries.delete(id)
      if (!entry.used) return
      entry.used = false
      table.entries.set(id, entry)
    }
  }
}

/** The length of the folder `class/mount/folder/`: everything up to the third slash. */
export function endOfFolder(key: string): number {
  const first = key.indexOf('/')
  const second = key.indexOf('/', first + 1)
  return second < 0 ? 0 : key.indexOf('/', second + 1) + 1
}
