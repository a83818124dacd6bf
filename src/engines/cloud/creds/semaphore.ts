/**
 * A number of places that work takes in turn.
 */
export class Semaphore {
  #most: number
  #taken = 0
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#most = limit
  }

  get most(): number {
    return this.#most
  }

  /** From now on; what has begun goes on. */
  set most(most: number) {
    this.#most = most
    this.#next()
  }

  /** Runs work when there is a place for it; who has waited longest goes first. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#taken++
    try {
      return await work()
    } finally {
      this.#taken--
      this.#next()
    }
  }

  #next(): void {
    while (this.#taken < this.#most) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#taken++
      next()
    }
  }
}
