/**
 * Runs long work in slices and yields to the event loop between them.
 */
import type { Clock } from './clock.ts'
import { PIECE_MICROSECONDS, type Steps } from './steps.ts'

export class Slices {
  readonly #clock: Clock
  readonly #signal: AbortSignal | undefined
  #spent = 0

  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
  }

  get signal(): AbortSignal | undefined {
    return this.#signal
  }

  /** Adds the cost of completed work. Returns true if it is time to {@link giveWay}. */
  spend(microseconds: number): boolean {
    this.#spent += microseconds
    return this.#spent >= PIECE_MICROSECONDS
  }

  async giveWay(): Promise<void> {
    this.#spent = 0
    await this.#clock.sleep(0, this.#signal)
  }

  /** Waits for a promise. The time counts as a pause, because the event loop runs other work meanwhile. */
  async wait(promise: Promise<void>): Promise<void> {
    await promise
    this.#spent = 0
    this.#signal?.throwIfAborted()
  }

  /**
   * Runs a generator to its end. Whenever the generator yields, lets the event loop do other work, or waits for the promise that was
   * yielded.
   * @param first The result of the first `next()`, if the caller has already called it.
   */
  async drive<T>(steps: Steps<T>, first = steps.next()): Promise<T> {
    try {
      for (let step = first; ; step = steps.next()) {
        if (step.done) return step.value
        if (step.value) await this.wait(step.value)
        else await this.giveWay()
      }
    } finally {
      // If the signal was aborted, the generator has not ended. `return` runs its `finally` blocks, which wipe keys.
      steps.return(undefined as never)
    }
  }
}

/** The minimum speed of reading, copying, decoding and encrypting. */
const BYTES_PER_MICROSECOND = 25

/** Estimates the work, in microseconds, that grows with the size of an item's values. */
export function weigh(values: Readonly<Record<string, unknown>>): number {
  let size = 0
  for (const name in values) {
    const value = values[name]
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
  }
  return size / BYTES_PER_MICROSECOND
}
