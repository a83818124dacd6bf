/**
 * How much the platform is asked for at the same time. More than its threads can do would only wait there with copies of everything, and
 * come back all at once.
 */

/** The threads of Node's pool, and as many more that are ready when one is done. */
const MAX_CONCURRENT_CALLS = 8

export class ConcurrencyLimit {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Takes a place: at once, or when the promise resolves. Whoever has one calls {@link leave}. */
  enter(): Promise<void> | undefined {
    if (this.#running === MAX_CONCURRENT_CALLS) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#running++
    return undefined
  }

  /** Whoever waits takes over the place. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running--
  }
}
