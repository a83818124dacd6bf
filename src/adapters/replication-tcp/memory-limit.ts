/** A memory budget that all connections of a listener share. */
export class MemoryLimit {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Returns false if the budget would be exceeded. */
  reserve(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  release(bytes: number): void {
    this.#left += bytes
  }
}
