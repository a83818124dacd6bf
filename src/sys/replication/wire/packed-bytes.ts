/**
 * The bytes of packed values: what each kind of value is written as, and read from.
 */

const KINDS = ['undefined', 'null', 'false', 'true', 'number', 'bigint', 'text', 'bytes', 'list', 'object', 'wide'] as const

export type PackedKind = (typeof KINDS)[number]

const NUMBER_BYTES = 8

/** Grows as needed. Former buffers are wiped. */
export class PackedWriter {
  readonly #maxBytes: number
  readonly #tooLong: (limit: number) => Error
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  /** @param tooLong Made when more than `maxBytes` are needed. */
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

  /** Returns where the size is, for {@link setSize}. */
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

  /** A copy of what was written. */
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

/** Every method throws a `RangeError` for bytes that hold no such thing. */
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

  /** A number of items that take at least `least` bytes each. */
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

  /** Lent: a part of the bytes that are read. */
  raw(): Uint8Array {
    const size = this.size(1)
    this.#offset += size
    return this.#bytes.subarray(this.#offset - size, this.#offset)
  }
}
