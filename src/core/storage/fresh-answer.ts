/** Single flight for queries whose answer must be at least as new as the query: callers share only a query that begins after their call. */

export class FreshAnswer<T> {
  readonly #patience: () => Promise<void>
  #running: Promise<T> | undefined
  #next: Promise<T> | undefined

  /** @param patience Resolves when waiting callers should no longer wait for the running query. Default: never. */
  constructor(patience: () => Promise<void> = () => new Promise(() => undefined)) {
    this.#patience = patience
  }

  /** The running query may have missed the latest commits, so all callers that arrive while it runs share one that begins later. */
  of(ask: () => Promise<T>): Promise<T> {
    const running = this.#running
    if (!running) return this.#begin(ask)
    this.#next ??= Promise.race([settled(running), this.#patience()]).then(() => {
      this.#next = undefined
      const later = this.#running === running ? undefined : this.#running
      return later ?? this.#begin(ask)
    })
    return this.#next
  }

  #begin(ask: () => Promise<T>): Promise<T> {
    const running = ask().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}

const settled = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => undefined,
    () => undefined,
  )
