/** Limits the number of concurrent tasks. */
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

  /** A lower limit does not affect running tasks. */
  set most(most: number) {
    this.#most = most
    this.#next()
  }

  /** Runs `work` when fewer tasks than the limit are running, in the order of the calls. */
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
