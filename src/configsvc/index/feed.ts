/**
 * Tells those who wait for a table or for one record that it has changed, whoever changed it: one look at the counter for all of them.
 */

import type { Clock } from '../../core/base/clock.ts'
import { combinedSignal } from '../../core/base/combined-signal.ts'
import { KernelError } from '../../core/base/errors.ts'
import { Slices } from '../../core/base/slices.ts'
import type { Change } from '../../core/storage/port.ts'
import type { Counter, Table } from './counter.ts'

export interface FeedParts {
  readonly clock: Clock
  /** The key of the counter's record. */
  readonly key: string
  readonly onChange: (listener: (change: Change) => void) => void
  /** Reads the counter as it is now. */
  readonly read: () => Promise<Counter>
}

/** What somebody waits for. */
export interface Awaited {
  readonly table: Table
  /** The index of the table up to which what was read is known. */
  readonly index: number
  /** The key of the one record that matters; undefined: the whole table does. */
  readonly key: string | undefined
}

interface Waiter extends Awaited {
  /** How many changes were told before. */
  readonly since: number
  readonly wake: (passed: boolean) => void
  readonly fail: (reason: Error) => void
}

/** Estimated cost of what a wake-up leads to: the read is run again. */
const WAKE_MICROSECONDS = 300

const RETRY_MS = 100

export class IndexFeed {
  readonly #parts: FeedParts
  readonly #waiting = new Set<Waiter>()
  /** Those who are woken where the index of the table passes theirs. */
  readonly #ofTables = new Map<Table, Set<Waiter>>()
  /** Those who are woken where their record changes. */
  readonly #ofRecords = new Map<string, Set<Waiter>>()
  #known: Counter['tables'] = {}
  /** Counts changes, so that a look knows whether another one is due. */
  #changes = 0
  #looked = 0
  #looking = false
  /** Records that changed since the last look and that somebody waits for; undefined: which ones is not known. */
  #touched: Set<string> | undefined = new Set()

  constructor(parts: FeedParts) {
    this.#parts = parts
    parts.onChange(({ keys }) => {
      if (keys && !keys.includes(parts.key)) return
      this.#changes++
      if (!keys) this.#touched = undefined
      else for (const key of keys) if (this.#ofRecords.has(key)) this.#touched?.add(key)
      if (this.waiting > 0) this.#lookSoon()
    })
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves with true when what is waited for has changed, with false when the time is over or `signal` is aborted.
   * @throws KernelError 503 when the service is sealed or closed meanwhile.
   */
  async passed(awaited: Awaited, milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return false
    if ((this.#known[awaited.table] ?? 0) > awaited.index) return true
    const over = new AbortController()
    const stop = signal ? combinedSignal(signal, over.signal) : over.signal
    const { waiter, changed } = newWaiter(awaited, this.#changes)
    this.#add(waiter)
    try {
      const timeUp = this.#parts.clock.sleep(milliseconds, stop).then(NOT_PASSED, NOT_PASSED)
      return await Promise.race([changed, timeUp])
    } finally {
      this.#remove(waiter)
      over.abort()
    }
  }

  /** Ends every wait with a refusal, and forgets what was known. */
  end(): void {
    for (const { fail } of this.#waiting)
      fail(new KernelError('ERR_UNAVAILABLE', 'the service was sealed or closed during the wait'))
    for (const waiter of this.#waiting) this.#remove(waiter)
    this.#known = {}
  }

  #add(waiter: Waiter): void {
    const { key, table } = waiter
    const isUpToDate = this.#looked === this.#changes
    this.#waiting.add(waiter)
    if (key !== undefined) setOf(this.#ofRecords, key).add(waiter)
    // What changed between the read and now may have been looked at by nobody: the index of the table tells.
    if (key === undefined || !isUpToDate) setOf(this.#ofTables, table).add(waiter)
    if (!isUpToDate) this.#lookSoon()
  }

  #remove(waiter: Waiter): void {
    const { key, table } = waiter
    this.#waiting.delete(waiter)
    this.#ofTables.get(table)?.delete(waiter)
    const same = key === undefined ? undefined : this.#ofRecords.get(key)
    if (same?.delete(waiter) && same.size === 0) this.#ofRecords.delete(key as string)
  }

  #lookSoon(): void {
    if (this.#looking) return
    this.#looking = true
    void this.#look().finally(() => {
      this.#looking = false
    })
  }

  async #look(): Promise<void> {
    const { clock, read } = this.#parts
    while (this.#looked !== this.#changes && this.waiting > 0) {
      const seen = this.#changes
      // The caches learn of a commit right after it is told.
      await clock.sleep(0)
      const counter = await read().catch(() => undefined)
      if (counter) {
        this.#looked = seen
        await this.#wake(counter)
      } else await clock.sleep(RETRY_MS)
    }
  }

  async #wake({ tables }: Counter): Promise<void> {
    const slices = new Slices(this.#parts.clock)
    this.#known = tables
    const touched = this.#touched ?? this.#ofRecords.keys()
    this.#touched = new Set()
    for (const waiter of [...this.#passed(tables), ...this.#whose(touched)]) {
      if (!this.#waiting.has(waiter)) continue
      this.#remove(waiter)
      waiter.wake(true)
      if (slices.spend(WAKE_MICROSECONDS)) await slices.giveWay()
    }
  }

  *#passed(tables: Counter['tables']): Iterable<Waiter> {
    for (const [table, all] of this.#ofTables)
      for (const waiter of all) {
        if ((tables[table] ?? 0) > waiter.index) yield waiter
        // All that was told before it came is looked at now; from here on its record tells of every change.
        else if (waiter.key !== undefined && waiter.since <= this.#looked) all.delete(waiter)
      }
  }

  *#whose(keys: Iterable<string>): Iterable<Waiter> {
    for (const key of keys) yield* this.#ofRecords.get(key) ?? []
  }
}

const NOT_PASSED = (): boolean => false

function setOf<K>(all: Map<K, Set<Waiter>>, key: K): Set<Waiter> {
  const known = all.get(key) ?? new Set()
  all.set(key, known)
  return known
}

function newWaiter(awaited: Awaited, since: number): { readonly waiter: Waiter; readonly changed: Promise<boolean> } {
  let waiter: Waiter | undefined
  const changed = new Promise<boolean>((wake, fail) => {
    waiter = { ...awaited, since, wake, fail }
  })
  return { waiter: waiter as unknown as Waiter, changed }
}
