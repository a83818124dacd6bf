/**
 * Long work in slices that give way to the event loop.
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

  /** Adds work done; true when it is time to {@link giveWay}. */
  spend(microseconds: number): boolean {
    this.#spent += microseconds
    return this.#spent >= PIECE_MICROSECONDS
  }

  async giveWay(): Promise<void> {
    this.#spent = 0
    await this.#clock.sleep(0, this.#signal)
  }

  /** The event loop has its turn meanwhile. */
  async wait(promise: Promise<void>): Promise<void> {
    await promise
    this.#spent = 0
    this.#signal?.throwIfAborted()
  }

  /**
   * Runs steps to their end, giving way between any two, or waiting for what they wait for.
   * @param begun What the first of them has come to.
   */
  async drive<T>(steps: Steps<T>, begun = steps.next()): Promise<T> {
    try {
      for (let step = begun; ; step = steps.next()) {
        if (step.done) return step.value
        if (step.value) await this.wait(step.value)
        else await this.giveWay()
      }
    } finally {
      // Abandoned steps still have keys to wipe.
      steps.return(undefined as never)
    }
  }
}

/** A lower bound of the bytes read, copied, decoded or encrypted per microsecond. */
const BYTES_PER_MICROSECOND = 25

/** The work, in microseconds, that an item's size adds to its estimate. */
export function weigh(values: Readonly<Record<string, unknown>>): number {
  let size = 0
  for (const name in values) {
    const value = values[name]
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
  }
  return size / BYTES_PER_MICROSECOND
}
