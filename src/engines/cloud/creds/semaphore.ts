/** Limits the number of concurrent tasks. */
export class Semaphore {
  #limit: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  /** Sets the maximum number of running tasks. A lower limit does not affect tasks that are already running. */
  set limit(limit: number) {
    this.#limit = limit
    this.#next()
  }

  /** Runs `work` as soon as fewer tasks than the limit are running. Waiting tasks start in the order of their calls. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#next()
    }
  }

  #next(): void {
    while (this.#running < this.#limit) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#running++
      next()
    }
  }
}
