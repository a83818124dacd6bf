/**
 * Limits the concurrent calls to WebCrypto. More calls than it has threads would only wait there, each with a copy of its input, and their
 * results would all arrive at once.
 */

/** Twice the threads of Node's pool, so that the next call is ready when one ends. */
const MAX_CONCURRENT_CALLS = 8

export class ConcurrencyLimit {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Takes a slot: immediately, or when the promise resolves. Call {@link leave} to return the slot. */
  enter(): Promise<void> | undefined {
    if (this.#running === MAX_CONCURRENT_CALLS) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#running++
    return undefined
  }

  /** Passes the slot to the first waiting caller. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}
