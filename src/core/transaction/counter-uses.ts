/**
 * Counts the key uses of one request, over all runs of its transaction. If a run has taken uses from a counter and then ended early, the
 * next run uses them.
 */
import { NEEDS_LOAD } from '../contract/signals.ts'
import { FIRST_BLOCK_USES, type StoredCounter } from './counter.ts'
import type { Loader } from './loader.ts'

interface CounterUse {
  /** The uses that the current run of the transaction has counted. */
  used: number
  /** The uses that this request has taken from the counter, in the current run or in an earlier run. */
  held: number
  /** The uses that the current run needs but could not take. */
  wanted: number
  /** For a key that the current run has created: the first block of uses, which the commit stores together with the key. */
  stored: number
}

export interface CountResult {
  /** Whether this is the run's first use of the counter. */
  readonly first: boolean
  /** The counter's record, which must be stored together with the key that this run created. */
  readonly record: Uint8Array | undefined
}

export class CounterUses {
  readonly #uses = new Map<StoredCounter, CounterUse>()
  readonly #awaited = new Set<StoredCounter>()
  readonly #loader: Loader

  constructor(loader: Loader) {
    this.#loader = loader
  }

  /** Prepares for another run: resets what the previous run has counted, and keeps the uses that were taken from counters. */
  begin(): void {
    for (const use of this.#uses.values()) Object.assign(use, { used: 0, wanted: 0, stored: 0 })
  }

  /**
   * Counts one use. If no reserved use is left, ends the run. The transaction runs again after more uses have been reserved.
   * @param made Whether this run created the key, so that no uses are reserved for it yet.
   * @throws KernelError 400 if the limit of uses is reached.
   */
  count(counter: StoredCounter, made: boolean): CountResult {
    const use = this.#uses.get(counter) ?? { used: 0, held: 0, wanted: 0, stored: 0 }
    this.#uses.set(counter, use)
    const record = made ? firstBlock(counter, use) : undefined
    if (!made && use.used === use.held) this.#take(counter, use)
    return { first: use.used++ === 0, record }
  }

  /**
   * Waits for a reservation in progress, but only once per request: under steady load, a new reservation may begin as soon as the previous
   * one has ended.
   */
  settle(counter: StoredCounter): void {
    if (!counter.busy || this.#awaited.has(counter)) return
    this.#awaited.add(counter)
    this.#loader.wait(() => counter.idle())
  }

  /** Makes the uses that were stored together with new keys available. */
  committed(): void {
    for (const [counter, { used, stored }] of this.#uses) if (stored > 0) counter.grant(stored - used, stored)
  }

  end(): void {
    for (const [counter, { used, held, stored }] of this.#uses) if (stored === 0) counter.putBack(held - used)
    this.#uses.clear()
  }

  #take(counter: StoredCounter, use: CounterUse): void {
    if (counter.take()) use.held++
    else if (counter.spent) throw counter.limitError()
    else if (use.wanted++ > 0) throw NEEDS_LOAD
    else this.#loader.wait(() => counter.ensure(use.wanted))
  }
}

/**
 * Returns the record of the counter of a key that this run creates. The record is stored together with the key and reserves the first block
 * of uses. The block is doubled each time the run has used all of it. Returns undefined if the block is still large enough.
 */
function firstBlock(counter: StoredCounter, use: CounterUse): Uint8Array | undefined {
  if (use.used < use.stored) return undefined
  use.stored = Math.max(FIRST_BLOCK_USES, 2 * use.stored)
  return counter.encode(use.stored)
}
