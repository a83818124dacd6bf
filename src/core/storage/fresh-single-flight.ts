/** Single flight for queries whose answer must be at least as new as the query: callers share only a query that begins after their call. */

export class FreshSingleFlight<T> {
  readonly #maxWait: () => Promise<void>
  #running: Promise<T> | undefined
  #next: Promise<T> | undefined

  /**
   * @param maxWait Returns a promise. When it resolves, waiting callers start the next query although the previous one still runs. Default:
   * a promise that never resolves.
   */
  constructor(maxWait: () => Promise<void> = () => new Promise(() => undefined)) {
    this.#maxWait = maxWait
  }

  /** The running query may have missed the latest commits. So all callers that arrive while it runs share a later query. */
  run(query: () => Promise<T>): Promise<T> {
    const running = this.#running
    if (!running) return this.#begin(query)
    this.#next ??= Promise.race([settles(running), this.#maxWait()]).then(() => {
      this.#next = undefined
      const later = this.#running === running ? undefined : this.#running
      return later ?? this.#begin(query)
    })
    return this.#next
  }

  #begin(query: () => Promise<T>): Promise<T> {
    const running = query().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}

const settles = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  )
