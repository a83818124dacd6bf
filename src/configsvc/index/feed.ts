/**
 * Tells those who wait for a table that it has changed, whoever changed it: one look at the counter for all of them.
 */
import type { Clock } from '../../core/base/clock.ts'
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

interface Waiter {
  readonly index: number
  readonly wake: (passed: boolean) => void
  readonly fail: (reason: Error) => void
}

/** Estimated cost of what a wake-up leads to: the read is run again. */
const WAKE_MICROSECONDS = 300

const RETRY_MS = 100

export class IndexFeed {
  readonly #parts: FeedParts
  /** Whoever waits here waits for more than the known index of the table. */
  readonly #waiting = new Map<Table, Set<Waiter>>()
  #known: Counter['tables'] = {}
  /** Counts changes, so that a look knows whether another one is due. */
  #changes = 0
  #looked = 0
  #looking = false

  constructor(parts: FeedParts) {
    this.#parts = parts
    parts.onChange(({ keys }) => {
      if (keys && !keys.includes(parts.key)) return
      this.#changes++
      if (this.waiting > 0) this.#lookSoon()
    })
  }

  /** How many wait. */
  get waiting(): number {
    let count = 0
    for (const { size } of this.#waiting.values()) count += size
    return count
  }

  /**
   * Resolves with true when the table has a higher index, with false when the time is over or `signal` is aborted.
   * @throws KernelError 503 when the service is sealed or closed meanwhile.
   */
  async passed(table: Table, index: number, milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return false
    if ((this.#known[table] ?? 0) > index) return true
    const over = new AbortController()
    const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal
    const all = this.#waiting.get(table) ?? new Set()
    this.#waiting.set(table, all)
    const { waiter, changed } = newWaiter(index)
    all.add(waiter)
    // What changed between the read and now may have been looked at by nobody.
    if (this.#looked !== this.#changes) this.#lookSoon()
    try {
      const timeUp = this.#parts.clock.sleep(milliseconds, stop).then(NOT_PASSED, NOT_PASSED)
      return await Promise.race([changed, timeUp])
    } finally {
      all.delete(waiter)
      over.abort()
    }
  }

  /** Ends every wait with a refusal, and forgets what was known. */
  end(): void {
    for (const all of this.#waiting.values())
      for (const { fail } of all) fail(new KernelError('ERR_UNAVAILABLE', 'the service was sealed or closed during the wait'))
    this.#waiting.clear()
    this.#known = {}
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
    const before = this.#known
    this.#known = tables
    for (const [table, all] of this.#waiting) {
      const index = tables[table] ?? 0
      if (index <= (before[table] ?? 0)) continue
      for (const waiter of all) {
        if (index <= waiter.index) continue
        all.delete(waiter)
        waiter.wake(true)
        if (slices.spend(WAKE_MICROSECONDS)) await slices.giveWay()
      }
    }
  }
}

const NOT_PASSED = (): boolean => false

function newWaiter(index: number): { readonly waiter: Waiter; readonly changed: Promise<boolean> } {
  let waiter: Waiter | undefined
  const changed = new Promise<boolean>((wake, fail) => {
    waiter = { index, wake, fail }
  })
  return { waiter: waiter as unknown as Waiter, changed }
}
