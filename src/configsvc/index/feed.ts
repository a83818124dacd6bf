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
  readonly table: Table
  readonly index: number
  readonly wake: (passed: boolean) => void
  readonly fail: (reason: Error) => void
}

/** Estimated cost of what a wake-up leads to: the read is run again. */
const WAKE_MICROSECONDS = 50

const RETRY_MS = 100

export class IndexFeed {
  readonly #parts: FeedParts
  readonly #waiting = new Set<Waiter>()
  /** Counts changes, so that a look knows whether another one is due. */
  #changes = 0
  #looking = false

  constructor(parts: FeedParts) {
    this.#parts = parts
    parts.onChange(({ keys }) => {
      if (this.#waiting.size > 0 && (!keys || keys.includes(parts.key))) this.#changed()
    })
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves with true when the table has a higher index, with false when the time is over or `signal` is aborted.
   * @throws KernelError 503 when the service is sealed or closed meanwhile.
   */
  async passed(table: Table, index: number, milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return false
    const over = new AbortController()
    const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal
    let waiter: Waiter | undefined
    const changed = new Promise<boolean>((wake, fail) => {
      waiter = { table, index, wake, fail }
      this.#waiting.add(waiter)
    })
    // What changed between the read and now was told to nobody.
    this.#changed()
    try {
      return await Promise.race([changed, this.#parts.clock.sleep(milliseconds, stop).then(() => false, () => false)])
    } finally {
      if (waiter) this.#waiting.delete(waiter)
      over.abort()
    }
  }

  /** Ends every wait with a refusal. */
  end(): void {
    for (const { fail } of this.#waiting) fail(new KernelError('ERR_UNAVAILABLE', 'the service was sealed or closed during the wait'))
    this.#waiting.clear()
  }

  #changed(): void {
    this.#changes++
    if (this.#looking) return
    this.#looking = true
    void this.#look().finally(() => {
      this.#looking = false
    })
  }

  async #look(): Promise<void> {
    const slices = new Slices(this.#parts.clock)
    for (let seen = -1; seen !== this.#changes && this.#waiting.size > 0; ) {
      seen = this.#changes
      // The caches learn of a commit right after it is told.
      await this.#parts.clock.sleep(0)
      const counter = await this.#parts.read().catch(() => undefined)
      if (!counter) {
        this.#changes++
        await this.#parts.clock.sleep(RETRY_MS)
        continue
      }
      for (const waiter of this.#waiting) {
        if ((counter.tables[waiter.table] ?? 0) <= waiter.index) continue
        this.#waiting.delete(waiter)
        waiter.wake(true)
        if (slices.spend(WAKE_MICROSECONDS)) await slices.giveWay()
      }
    }
  }
}
