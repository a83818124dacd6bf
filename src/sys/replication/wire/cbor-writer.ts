/** Writes single CBOR items (RFC 8949) with the `cborg` library to a buffer that grows. A buffer that is replaced by a larger one is wiped. */
import { encodeInto, Tagged } from 'cborg'
import { texts } from '../../../core/base/texts.ts'

/** Major types (RFC 8949 section 3.1). */
export const MAJOR = { bytes: 2, text: 3, list: 4, map: 5 } as const

/** Tags for integers that have more than 64 bits (RFC 8949 section 3.4.3). */
export const POSITIVE_BIGNUM = 2
export const NEGATIVE_BIGNUM = 3

const BIGNUM_LIMIT = /* @__PURE__ */ 2n ** 64n

/** The maximum length of the head of an item. */
export const MAX_CBOR_HEAD_BYTES = 9

/** Items without content; the content of bytes and texts follows their head. */
export type CborScalar = null | boolean | number | bigint

export class CborWriter {
  readonly #maxBytes: number
  readonly #tooLong: (limit: number) => Error
  #bytes = new Uint8Array(1024)
  #length = 0

  /** @param tooLong Creates the error if more than `maxBytes` are written. */
  constructor(maxBytes: number, tooLong: (limit: number) => Error) {
    this.#maxBytes = maxBytes
    this.#tooLong = tooLong
  }

  get length(): number {
    return this.#length
  }

  scalar(value: CborScalar): void {
    if (typeof value !== 'bigint' || (value < BIGNUM_LIMIT && value >= -BIGNUM_LIMIT)) this.#encode(value, MAX_CBOR_HEAD_BYTES)
    else {
      const digits = digitsOf(value < 0n ? -1n - value : value)
      this.#encode(new Tagged(value < 0n ? NEGATIVE_BIGNUM : POSITIVE_BIGNUM, digits), 2 * MAX_CBOR_HEAD_BYTES + digits.length)
    }
  }

  /** Writes the head of an item with content. Apart from its major type, the head is encoded like the unsigned integer `size`. */
  head(major: number, size: number): void {
    const at = this.#length
    this.#encode(size, MAX_CBOR_HEAD_BYTES)
    this.#bytes[at]! |= major << 5
  }

  /** Writes the head and the content of bytes or a text. */
  raw(major: number, content: Uint8Array): void {
    this.head(major, content.length)
    this.#reserve(content.length)
    this.#bytes.set(content, this.#length)
    this.#advance(content.length)
  }

  /** Returns a copy of the written bytes. */
  copy(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  wipe(): void {
    this.#bytes.fill(0)
  }

  #encode(value: CborScalar | Tagged, maxBytes: number): void {
    this.#reserve(maxBytes)
    this.#advance(encodeInto(value, this.#bytes.subarray(this.#length)).written)
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed - MAX_CBOR_HEAD_BYTES * 2 > this.#maxBytes) throw this.#tooLong(this.#maxBytes)
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes.fill(0)
    this.#bytes = grown
  }

  #advance(written: number): void {
    this.#length += written
    if (this.#length > this.#maxBytes) throw this.#tooLong(this.#maxBytes)
  }
}

/** Returns the bytes of a number, big-endian and without leading zeros. */
function digitsOf(value: bigint): Uint8Array {
  const hex = value.toString(16)
  return texts.fromHex(hex.length % 2 === 0 ? hex : `0${hex}`)
}
