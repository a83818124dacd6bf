/** The encoding of packed values: the tag and the bytes of each kind of value. */

const KINDS = ['undefined', 'null', 'false', 'true', 'number', 'bigint', 'text', 'bytes', 'list', 'object', 'wide'] as const

export type PackedKind = (typeof KINDS)[number]

const NUMBER_BYTES = 8

/** A growing buffer. Replaced buffers are wiped. */
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
    // Reserve first: it may replace the bytes.
    const at = this.#reserve(1)
    this.#bytes[at] = KINDS.indexOf(kind)
  }

  /** Returns the offset of the size, for {@link setSize}. */
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

/** Every method throws a `RangeError` if the bytes are invalid. */
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
    if (!kind) throw new RangeError('no kind of value')
    return kind
  }

  /** Reads a number of items. Throws if the remaining bytes are fewer than `least` bytes per item. */
  size(least: number): number {
    const size = this.#view.getUint32(this.#offset)
    this.#offset += 4
    if (size * least > this.#bytes.length - this.#offset) throw new RangeError('more than there is')
    return size
  }

  number(): number {
    this.#offset += NUMBER_BYTES
    return this.#view.getFloat64(this.#offset - NUMBER_BYTES)
  }

  /** Returns a view of the input, not a copy. */
  raw(): Uint8Array {
    const size = this.size(1)
    this.#offset += size
    return this.#bytes.subarray(this.#offset - size, this.#offset)
  }
}
