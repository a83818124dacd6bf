/** The memory budget for bodies of requests. */

/** The budget of all bodies of a handler, from the first byte read to the answer. */
export class BodyRoom {
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  /** The share of one request's body. */
  open(): RoomForBody {
    return new RoomForBody((bytes) => this.#take(bytes))
  }

  #take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }
}

/** One request's use of the budget. */
export class RoomForBody {
  readonly #ask: (bytes: number) => boolean
  #bytes = 0

  constructor(ask: (bytes: number) => boolean) {
    this.#ask = ask
  }

  /** Whether the budget allows this many more bytes, which are then taken. */
  take(bytes: number): boolean {
    const taken = this.#ask(bytes)
    if (taken) this.#bytes += bytes
    return taken
  }

  giveBack(): void {
    this.#ask(-this.#bytes)
    this.#bytes = 0
  }
}
