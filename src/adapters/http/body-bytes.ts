/** Collects the pieces of a body. */

/** This many small pieces are joined into one. */
const MAX_SMALL_PIECES = 64

/**
 * Pieces below this size are small. They are joined, because the object of each piece takes about a hundred bytes of memory in addition.
 */
const SMALL_BYTES = 1_024

export class BodyBytes {
  #pieces: Uint8Array[] = []
  /** The number of small pieces at the end of the list. */
  #small = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  add(piece: Uint8Array): void {
    this.#size += piece.length
    this.#pieces.push(piece)
    this.#small = piece.length < SMALL_BYTES ? this.#small + 1 : 0
    if (this.#small < MAX_SMALL_PIECES) return
    this.#pieces.push(Buffer.concat(this.#pieces.splice(-MAX_SMALL_PIECES)))
    this.#small = 0
  }

  /** The whole body. */
  join(): Uint8Array {
    return this.#pieces.length === 1 ? (this.#pieces[0] as Uint8Array) : Buffer.concat(this.#pieces, this.#size)
  }
}
