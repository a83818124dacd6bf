/**
 * One at a time, in order of arrival.
 */
export class Turnstile {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when it is the caller's turn; the caller must call what it gets. */
  async enter(): Promise<() => void> {
    const before = this.#last
    let leave: () => void = () => {}
    this.#last = new Promise((resolve) => {
      leave = resolve
    })
    await before
    return leave
  }
}
