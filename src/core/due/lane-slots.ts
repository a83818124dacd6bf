/**
 * Runs the items of a lane concurrently. An item that waits for an outside system occupies one slot and delays no other.
 */
import type { LongWorkOptions } from '../base/progress.ts'
import type { DueEntry } from '../transaction/due-entry.ts'

/** State that the lanes of one tick share. */
export interface TickRun {
  left: number
  done: number
  readonly failed: { lane: string; id: string; error: Error }[]
  more: boolean
  busy: boolean
  /** Items that failed or belong to another process are not tried again in the same tick. */
  readonly skipped: Set<string>
  /** Set when a lane has ended with an error, so that the other lanes end as well. */
  broken: boolean
}

export class LaneSlots {
  readonly #most: number
  readonly #work: (entry: DueEntry) => Promise<boolean>
  readonly #options: Pick<LongWorkOptions, 'onProgress'>
  readonly #run: TickRun
  readonly #taken = new Map<string, Promise<void>>()
  #ran = false
  #fault: { readonly error: unknown } | undefined

  constructor(
    most: number,
    work: (entry: DueEntry) => Promise<boolean>,
    options: Pick<LongWorkOptions, 'onProgress'>,
    run: TickRun,
  ) {
    this.#most = most
    this.#work = work
    this.#options = options
    this.#run = run
  }

  has({ key }: DueEntry): boolean {
    return this.#taken.has(key)
  }

  /** Starts an item as soon as a slot is free. */
  async take(entry: DueEntry): Promise<void> {
    while (this.#taken.size >= this.#most) await Promise.race(this.#taken.values())
    this.#taken.set(entry.key, this.#hold(entry))
  }

  async #hold(entry: DueEntry): Promise<void> {
    const { failed, skipped } = this.#run
    try {
      if (await this.#work(entry)) this.#ran = true
      else skipped.add(entry.key)
      this.#options.onProgress?.({ done: this.#run.done + failed.length })
    } catch (error) {
      this.#fault ??= { error }
      this.#run.broken = true
    } finally {
      this.#taken.delete(entry.key)
    }
  }

  /** Waits until a running item has ended. Returns false if none has ended since the last call and none is running. */
  async changed(): Promise<boolean> {
    if (!this.#ran && this.#taken.size > 0) await Promise.race(this.#taken.values())
    const changed = this.#ran || this.#taken.size > 0
    this.#ran = false
    return changed
  }

  /** Waits for all items, so that none outlives the tick. */
  async empty(): Promise<void> {
    await Promise.all(this.#taken.values())
  }

  /** @throws the error that `onProgress` threw. */
  check(): void {
    if (this.#fault) throw this.#fault.error
  }
}
