/** Defines how a single value is encoded in a message: a tag for the kind of the value, and the bytes of the value. */

const KINDS = ['undefined', 'null', 'false', 'true', 'number', 'bigint', 'text', 'bytes', 'list', 'object', 'wide'] as const

export type PackedKind = (typeof KINDS)[number]

const NUMBER_BYTES = 8

/** A buffer that grows as values are written. When it is replaced by a larger buffer, the old one is wiped. */
export class PackedWriter {
  readonly #maxBytes: number
  readonly #tooLong: (limit: number) => Error
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  /** @param tooLong Creates the error if more than `maxBytes` are needed. */
  constructor(maxBytes: number, tooLong: (limit: number) => Error) {
    this.#maxBytes = maxBytes
    this.#tooLong = tooLong
  }

  get length(): number {
    return this.#length
  }

  kind(kind: PackedKind): void {
    // Call `#reserve` in a statement of its own, because it may replace `#bytes`.
    const at = this.#reserve(1)
    this.#bytes[at] = KINDS.indexOf(kind)
  }

  /** Writes a number of items. Returns its offset, with which {@link setSize} can replace it. */
  size(size: number): number {
    const at = this.#reserve(4)
    this.#view.setUint32(at, size)
    return at
  }

  setSize(at: number, size: number): void {
    this.#view.setUint32(at, size)
  }

  number(value: number): void {
    this.kind('number')
    const at = this.#reserve(NUMBER_BYTES)
    this.#view.setFloat64(at, value)
  }

  raw(bytes: Uint8Array): void {
    this.size(bytes.length)
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** Returns a copy of the written bytes. */
  copy(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  wipe(): void {
    this.#bytes.fill(0)
  }

  #reserve(more: number): number {
    const at = this.#length
    if (at + more > this.#maxBytes) throw this.#tooLong(this.#maxBytes)
    this.#length += more
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes.fill(0)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return at
  }
}

/** Decodes values from start to end. Every method throws a `RangeError` if the bytes are invalid. */
export class PackedReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get offset(): number {
    return this.#offset
  }

  get isOver(): boolean {
    return this.#offset === this.#bytes.length
  }

  kind(): PackedKind {
    const kind = KINDS[this.#view.getUint8(this.#offset++)]
    if (!kind) throw new RangeError('unknown kind of value')
    return kind
  }

  /**
   * Reads a number of items. Throws if that many items cannot fit into the remaining bytes. @param least The minimum number of bytes per
   * item.
   */
  size(least: number): number {
    const size = this.#view.getUint32(this.#offset)
    this.#offset += 4
    if (size * least > this.#bytes.length - this.#offset) throw new RangeError('the size exceeds the remaining bytes')
    return size
  }

  number(): number {
    this.#offset += NUMBER_BYTES
    return this.#view.getFloat64(this.#offset - NUMBER_BYTES)
  }

  /** Reads the length of a byte array and its bytes. Returns a view of the input, not a copy. */
  raw(): Uint8Array {
    const size = this.size(1)
    this.#offset += size
    return this.#bytes.subarray(this.#offset - size, this.#offset)
  }
}
