/** What a store is asked by many at a time, where nobody may be told less than was there when he asked. */

export class FreshAnswer<T> {
  readonly #patience: () => Promise<void>
  #running: Promise<T> | undefined
  #next: Promise<T> | undefined

  /** @param patience How long a question may keep the next one waiting. Default: until it is answered. */
  constructor(patience: () => Promise<void> = () => new Promise(() => undefined)) {
    this.#patience = patience
  }

  /** The running question may have missed the latest commits: all who come while it runs share one that begins later. */
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
