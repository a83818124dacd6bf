import { isEmptyAt } from './hash-list.ts'

export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(room: number = 256) {
    this.#bytes = new Uint8Array(room)
  }

  get length(): number {
    return this.#length
  }

  /** Writes a big-endian number in `bytes` bytes. The number must fit into them. */
  uint(value: number, bytes: number): this {
    this.#reserve(bytes)
    for (let at = bytes - 1, rest = value; at >= 0; at--, rest = Math.floor(rest / 256))
      this.#bytes[this.#length + at] = rest % 256
    this.#length += bytes
    return this
  }

  bytes(piece: Uint8Array): this {
    this.#reserve(piece.length)
    this.#bytes.set(piece, this.#length)
    this.#length += piece.length
    return this
  }

  /**
   * Writes a list of items that are `width` bytes each and mostly all zeros. First comes a bitmap with one bit per item, beginning with the
   * highest bit: 1 if the item is not all zeros. Then come the items that are not all zeros.
   */
  sparse(list: Uint8Array, width: number): this {
    const count = list.length / width
    const bitmap = new Uint8Array(Math.ceil(count / 8))
    const start = this.#length
    this.bytes(bitmap)
    for (let at = 0; at < count; at++) {
      if (isEmptyAt(list, at, width)) continue
      bitmap[at >> 3]! |= 0x80 >> (at & 7)
      this.bytes(list.subarray(at * width, (at + 1) * width))
    }
    this.#bytes.set(bitmap, start)
    return this
  }

  /** Removes everything after the first `length` bytes. */
  cut(length: number): void {
    this.#length = length
  }

  /** Returns a copy of the written bytes. */
  written(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}
