/**
 * A mutex that serves waiters in order of arrival.
 */
export class FifoMutex {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when the caller has acquired the mutex, with the function that releases it. */
  async acquire(): Promise<() => void> {
    const before = this.#last
    let leave: () => void = () => {}
    this.#last = new Promise((resolve) => {
      leave = resolve
    })
    await before
    return leave
  }
}
