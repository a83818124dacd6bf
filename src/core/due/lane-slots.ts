/**
 * Runs the items of a lane (a queue of background work) concurrently. Each running item occupies one slot, so an item that waits for an
 * outside system does not delay the other items.
 */
import type { LongWorkOptions } from '../base/progress.ts'
import type { DueEntry } from '../transaction/due-entry.ts'
import type { FailedItem } from './failed-item.ts'

/** State that the lanes of one tick share. */
export interface TickRun {
  left: number
  done: number
  readonly failed: FailedItem[]
  more: boolean
  busy: boolean
  /** Keys of items that are not tried again in this tick, because they failed or another process works on them. */
  readonly skipped: Set<string>
  /** Set when a lane has ended with an error. The other lanes then end too. */
  broken: boolean
}

export class LaneSlots {
  readonly #maxItems: number
  readonly #work: (entry: DueEntry) => Promise<boolean>
  readonly #options: Pick<LongWorkOptions, 'onProgress'>
  readonly #run: TickRun
  readonly #running = new Map<string, Promise<void>>()
  #hasEnded = false
  #failure: { readonly error: unknown } | undefined

  constructor(
    maxItems: number,
    work: (entry: DueEntry) => Promise<boolean>,
    options: Pick<LongWorkOptions, 'onProgress'>,
    run: TickRun,
  ) {
    this.#maxItems = maxItems
    this.#work = work
    this.#options = options
    this.#run = run
  }

  has({ key }: DueEntry): boolean {
    return this.#running.has(key)
  }

  /** Waits until a slot is free, and starts an item. */
  async take(entry: DueEntry): Promise<void> {
    while (this.#running.size >= this.#maxItems) await Promise.race(this.#running.values())
    this.#running.set(entry.key, this.#runItem(entry))
  }

  async #runItem(entry: DueEntry): Promise<void> {
    const { failed, skipped } = this.#run
    try {
      if (await this.#work(entry)) this.#hasEnded = true
      else skipped.add(entry.key)
      this.#options.onProgress?.({ done: this.#run.done + failed.length })
    } catch (error) {
      this.#failure ??= { error }
      this.#run.broken = true
    } finally {
      this.#running.delete(entry.key)
    }
  }

  /**
   * If no item has left the due index since the last call, waits until a running item ends. Returns true if an item has left the due index
   * or if items are still running, because new items may then be due.
   */
  async changed(): Promise<boolean> {
    if (!this.#hasEnded && this.#running.size > 0) await Promise.race(this.#running.values())
    const changed = this.#hasEnded || this.#running.size > 0
    this.#hasEnded = false
    return changed
  }

  /** Waits for all running items, so that none of them runs after the tick has ended. */
  async empty(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  /** @throws the error that `onProgress` threw. */
  check(): void {
    if (this.#failure) throw this.#failure.error
  }
}
