/**
 * Limits the concurrent calls to WebCrypto. If there were more calls than WebCrypto has threads, each waiting call would keep a copy of its
 * input, and all results would arrive at the same time.
 */

/** Twice the default number of threads in Node's thread pool, so that a thread finds another call as soon as it has finished a call. */
const MAX_CONCURRENT_CALLS = 8

export class ConcurrencyLimit {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /**
   * Takes a slot immediately and returns undefined, or returns a promise that resolves as soon as the caller has a slot. Call {@link leave}
   * to return the slot.
   */
  enter(): Promise<void> | undefined {
    if (this.#running === MAX_CONCURRENT_CALLS) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#running++
    return undefined
  }

  /** Gives a slot back. If callers are waiting, the one that has waited longest gets the slot. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}
