/**
 * Room for the bodies of requests.
 */

/** What all bodies of a handler may take, from the first byte that is read to the answer. */
export class BodyRoom {
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  /** For the body of one request. */
  open(): RoomForBody {
    return new RoomForBody((bytes) => this.#take(bytes))
  }

  #take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }
}

/** What the body of one request takes of it. */
export class RoomForBody {
  readonly #ask: (bytes: number) => boolean
  #bytes = 0

  constructor(ask: (bytes: number) => boolean) {
    this.#ask = ask
  }

  /** Whether there is room for so much more. */
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
