/**
 * What one request counts, over all its runs: uses that a run took and did not use are left for the next run.
 */
import { NEEDS_LOAD } from '../contract/signals.ts'
import { FIRST_BLOCK, type StoredCounter } from './counter.ts'
import type { Loader } from './loader.ts'

interface Use {
  /** Uses by this run. */
  used: number
  /** Uses taken for this request, by this or an earlier run. */
  held: number
  /** Uses that this run wanted beyond what could be taken. */
  wanted: number
  /** Uses stored by this run together with the key it made. */
  stored: number
}

export interface Counted {
  /** Whether this is the run's first use of the counter. */
  readonly first: boolean
  /** The counter's record, to be stored with the key that this run made. */
  readonly record: Uint8Array | undefined
}

export class Uses {
  readonly #uses = new Map<StoredCounter, Use>()
  readonly #awaited = new Set<StoredCounter>()
  readonly #loader: Loader

  constructor(loader: Loader) {
    this.#loader = loader
  }

  /** Forgets the last run; taken uses stay. */
  begin(): void {
    for (const use of this.#uses.values()) Object.assign(use, { used: 0, wanted: 0, stored: 0 })
  }

  /**
   * Counts one use. Ends the run by the signal when none is left in hand; the run starts again when more were reserved.
   * @param made The key is made by this run, so no uses are reserved yet.
   * @throws KernelError 400 at the limit
   */
  count(counter: StoredCounter, made: boolean): Counted {
    const use = this.#uses.get(counter) ?? { used: 0, held: 0, wanted: 0, stored: 0 }
    this.#uses.set(counter, use)
    const record = made ? firstBlock(counter, use) : undefined
    if (!made && use.used === use.held) this.#take(counter, use)
    return { first: use.used++ === 0, record }
  }

  /** Waits once for a reservation under way: under steady use the next one may have begun already. */
  settle(counter: StoredCounter): void {
    if (!counter.busy || this.#awaited.has(counter)) return
    this.#awaited.add(counter)
    this.#loader.wait(() => counter.idle())
  }

  /** Uses that were stored with new keys are in hand from here on. */
  committed(): void {
    for (const [counter, { used, stored }] of this.#uses) if (stored > 0) counter.grant(stored - used, stored)
  }

  end(): void {
    for (const [counter, { used, held, stored }] of this.#uses) if (stored === 0) counter.putBack(held - used)
    this.#uses.clear()
  }

  #take(counter: StoredCounter, use: Use): void {
    if (counter.take()) use.held++
    else if (counter.spent) throw counter.refusal()
    else if (use.wanted++ > 0) throw NEEDS_LOAD
    else this.#loader.wait(() => counter.ensure(use.wanted))
  }
}

/** A key made by a run is stored with its first block, which doubles each time it is used up. */
function firstBlock(counter: StoredCounter, use: Use): Uint8Array | undefined {
  if (use.used < use.stored) return undefined
  use.stored = Math.max(FIRST_BLOCK, 2 * use.stored)
  return counter.encode(use.stored)
}
