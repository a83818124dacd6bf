/**
 * Wakes blocking reads when their table or record has changed. One read of the index counter serves all waiting reads, whichever process
 * committed.
 */

import type { Clock } from '../../core/base/clock.ts'
import { combinedSignal } from '../../core/base/combined-signal.ts'
import { KernelError } from '../../core/base/errors.ts'
import { Slices } from '../../core/base/slices.ts'
import type { Change } from '../../core/storage/port.ts'
import type { IndexCounter, IndexedTable } from './counter.ts'

export interface FeedParts {
  readonly clock: Clock
  /** The storage key of the index counter. */
  readonly key: string
  readonly onChange: (listener: (change: Change) => void) => void
  /** Reads the current counter. */
  readonly read: () => Promise<IndexCounter>
}

/** The change for which a blocking read waits. */
export interface AwaitedChange {
  readonly table: IndexedTable
  /** The index of the table when the last result was read. */
  readonly index: number
  /** The storage key of the only record whose changes matter; undefined: all changes of the table matter. */
  readonly key: string | undefined
}

interface Waiter extends AwaitedChange {
  /** The number of changes counted before the wait began. */
  readonly changesSeen: number
  readonly wake: (passed: boolean) => void
  readonly fail: (reason: Error) => void
}

/** The estimated cost of waking a waiter, which then reads again. */
const WAKE_MICROSECONDS = 300

const RETRY_MS = 100

export class IndexFeed {
  readonly #parts: FeedParts
  readonly #waiting = new Set<Waiter>()
  /** Waiters to wake when the index of their table exceeds the index that they have read. */
  readonly #byTable = new Map<IndexedTable, Set<Waiter>>()
  /** Waiters to wake when their record changes. */
  readonly #byRecord = new Map<string, Set<Waiter>>()
  #known: IndexCounter['tables'] = {}
  /** The number of changes so far. If it differs from `#changesRead`, the counter must be read again. */
  #changes = 0
  #changesRead = 0
  #reading = false
  /** The storage keys in `#byRecord` that have changed since the counter was last read; undefined: it is unknown which keys changed. */
  #changedKeys: Set<string> | undefined = new Set()

  constructor(parts: FeedParts) {
    this.#parts = parts
    parts.onChange(({ keys }) => {
      if (keys && !keys.includes(parts.key)) return
      this.#changes++
      if (!keys) this.#changedKeys = undefined
      else for (const key of keys) if (this.#byRecord.has(key)) this.#changedKeys?.add(key)
      if (this.waiting > 0) this.#readSoon()
    })
  }

  /** The number of waiters. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves with true after the change, and with false when the time is over or `signal` is aborted.
   * @throws KernelError 503 if the service is sealed or closed during the wait.
   */
  async waitForChange(awaited: AwaitedChange, milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
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

  /** Makes all waits fail, and discards the known indexes. */
  failAll(): void {
    for (const { fail } of this.#waiting)
      fail(new KernelError('ERR_UNAVAILABLE', 'the service was sealed or closed during the wait'))
    for (const waiter of this.#waiting) this.#remove(waiter)
    this.#known = {}
  }

  #add(waiter: Waiter): void {
    const { key, table } = waiter
    const isUpToDate = this.#changesRead === this.#changes
    this.#waiting.add(waiter)
    if (key !== undefined) setOf(this.#byRecord, key).add(waiter)
    // If the counter was not read after the last change, that change may concern the record of the waiter. So the waiter also waits for its
    // table until the counter is read.
    if (key === undefined || !isUpToDate) setOf(this.#byTable, table).add(waiter)
    if (!isUpToDate) this.#readSoon()
  }

  #remove(waiter: Waiter): void {
    const { key, table } = waiter
    this.#waiting.delete(waiter)
    this.#byTable.get(table)?.delete(waiter)
    const same = key === undefined ? undefined : this.#byRecord.get(key)
    if (same?.delete(waiter) && same.size === 0) this.#byRecord.delete(key as string)
  }

  #readSoon(): void {
    if (this.#reading) return
    this.#reading = true
    void this.#readCounter().finally(() => {
      this.#reading = false
    })
  }

  async #readCounter(): Promise<void> {
    const { clock, read } = this.#parts
    while (this.#changesRead !== this.#changes && this.waiting > 0) {
      const seen = this.#changes
      // The caches apply a commit only after the feed was notified of it, so wait before reading the counter from the caches.
      await clock.sleep(0)
      const counter = await read().catch(() => undefined)
      if (counter) {
        this.#changesRead = seen
        await this.#wake(counter)
      } else await clock.sleep(RETRY_MS)
    }
  }

  async #wake({ tables }: IndexCounter): Promise<void> {
    const slices = new Slices(this.#parts.clock)
    this.#known = tables
    const touched = this.#changedKeys ?? this.#byRecord.keys()
    this.#changedKeys = new Set()
    for (const waiter of [...this.#waitersPassed(tables), ...this.#waitersOn(touched)]) {
      if (!this.#waiting.has(waiter)) continue
      this.#remove(waiter)
      waiter.wake(true)
      if (slices.spend(WAKE_MICROSECONDS)) await slices.giveWay()
    }
  }

  *#waitersPassed(tables: IndexCounter['tables']): Iterable<Waiter> {
    for (const [table, all] of this.#byTable)
      for (const waiter of all) {
        if ((tables[table] ?? 0) > waiter.index) yield waiter
        // If the counter includes all changes before this wait, the waiter need not wait for its table any more: later changes of its
        // record wake it.
        else if (waiter.key !== undefined && waiter.changesSeen <= this.#changesRead) all.delete(waiter)
      }
  }

  *#waitersOn(keys: Iterable<string>): Iterable<Waiter> {
    for (const key of keys) yield* this.#byRecord.get(key) ?? []
  }
}

const NOT_PASSED = (): boolean => false

function setOf<K>(all: Map<K, Set<Waiter>>, key: K): Set<Waiter> {
  const known = all.get(key) ?? new Set()
  all.set(key, known)
  return known
}

function newWaiter(awaited: AwaitedChange, since: number): { readonly waiter: Waiter; readonly changed: Promise<boolean> } {
  let waiter: Waiter | undefined
  const changed = new Promise<boolean>((wake, fail) => {
    waiter = { ...awaited, changesSeen: since, wake, fail }
  })
  return { waiter: waiter as unknown as Waiter, changed }
}
