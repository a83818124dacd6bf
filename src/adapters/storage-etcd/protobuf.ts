/** The protocol buffer wire format, limited to the parts that etcd's messages use. */

const INITIAL_BYTES = 512
/**
 * The bytes that are reserved for the length of a nested message, which is known only after the message was written. A short length fills
 * all four bytes, too: readers accept varints that are longer than necessary.
 */
const LENGTH_BYTES = 4

const VARINT = 0
const LENGTH_DELIMITED = 2

/** Writes one message and its nested messages in a single pass. */
export class ProtoWriter {
  #bytes: Buffer
  #at: number

  /** @param offset The number of bytes to leave free before the message. */
  constructor(offset = 0) {
    this.#bytes = Buffer.allocUnsafe(INITIAL_BYTES)
    this.#at = offset
  }

  get length(): number {
    return this.#at
  }

  /** A number from 0 to 2^53 - 1, or a flag. The defaults 0 and false are omitted. */
  number(field: number, value: number | boolean): void {
    if (!value) return
    this.given(field, Number(value))
  }

  /** Like {@link number}, but also writes 0, which a member of a `oneof` needs. */
  given(field: number, value: number): void {
    this.#reserve(20)
    this.#varint(field * 8 + VARINT)
    this.#varint(value)
  }

  /** Writes the field even if the value is empty. */
  bytes(field: number, value: Uint8Array): void {
    this.#reserve(20 + value.length)
    this.#varint(field * 8 + LENGTH_DELIMITED)
    this.#varint(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  text(field: number, value: string): void {
    this.bytes(field, Buffer.from(value, 'utf8'))
  }

  message(field: number, write: () => void): void {
    this.#reserve(20)
    this.#varint(field * 8 + LENGTH_DELIMITED)
    const at = this.#at
    this.#at += LENGTH_BYTES
    write()
    const length = this.#at - at - LENGTH_BYTES
    for (let i = 0; i < LENGTH_BYTES; i++) {
      this.#bytes[at + i] = ((length >>> (7 * i)) & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0)
    }
  }

  /** Returns the written bytes, including the free bytes before the message. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  #varint(value: number): void {
    let rest = value
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 0x80
    this.#bytes[this.#at++] = rest
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

/** Reads the fields of a message: call `next` until it returns 0, and for each field call `skip` or the method that reads its type. */
export class ProtoReader {
  readonly #bytes: Buffer
  readonly #end: number
  #at: number
  #kind = VARINT

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  /** The number of the next field; 0 after the last. */
  next(): number {
    if (this.#at >= this.#end) return 0
    const tag = this.number()
    this.#kind = tag % 8
    return Math.floor(tag / 8)
  }

  /** Returns a number, which is exact up to 2^53. */
  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError('a message of etcd is truncated')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  /** Returns a view of the message's bytes, without a copy. */
  bytes(): Buffer {
    const { start, end } = this.#stretch()
    return this.#bytes.subarray(start, end)
  }

  text(): string {
    return this.bytes().toString('utf8')
  }

  message(): ProtoReader {
    const { start, end } = this.#stretch()
    return new ProtoReader(this.#bytes, start, end)
  }

  skip(): void {
    if (this.#kind === VARINT) this.number()
    else if (this.#kind === LENGTH_DELIMITED) this.#stretch()
    else this.#at += this.#kind === 1 ? 8 : 4
  }

  #stretch(): { readonly start: number; readonly end: number } {
    const length = this.number()
    const start = this.#at
    this.#at += length
    if (this.#at > this.#end) throw new RangeError('a message of etcd is truncated')
    return { start, end: this.#at }
  }
}
