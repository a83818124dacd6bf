/**
 * The bounded queue of events for one listener. Events that exceed the bound are counted and reported as lost.
 */
import type { KernelEvent } from '../../contract/event.ts'

export class Mailbox {
  readonly #limit: number
  readonly #lossOf: (lost: number) => KernelEvent<'events.lost'>
  readonly #waiting: KernelEvent[] = []
  #lost = 0

  /** @param lossOf Builds the event that reports how many events were lost. */
  constructor(limit: number, lossOf: (lost: number) => KernelEvent<'events.lost'>) {
    this.#limit = limit
    this.#lossOf = lossOf
  }

  get empty(): boolean {
    return this.#waiting.length === 0 && this.#lost === 0
  }

  put(event: KernelEvent): void {
    if (this.#waiting.length < this.#limit) this.#waiting.push(event)
    else this.#lost++
  }

  /** The next event. A loss is reported after all events that were queued before it. */
  take(): KernelEvent | undefined {
    const next = this.#waiting.shift()
    if (next || this.#lost === 0) return next
    const lost = this.#lost
    this.#lost = 0
    return this.#lossOf(lost)
  }
}
