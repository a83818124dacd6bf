/**
 * How much the platform is asked for at the same time. More than its threads can do would only wait there with copies of everything, and
 * come back all at once.
 */

/** The threads of Node's pool, and as many more that are ready when one is done. */
const MOST_AT_ONCE = 8

export class Lane {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Runs work when its turn has come: at once where the lane is free. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < MOST_AT_ONCE) this.#running++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // Whoever waits takes over the place.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
