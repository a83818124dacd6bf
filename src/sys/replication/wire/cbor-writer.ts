/**
 * Writes single CBOR items (RFC 8949) to a buffer that grows. A buffer that is replaced by a larger one is wiped. The heads of items are
 * written here, because they are most of a message; the `cborg` library encodes all other numbers and simple values.
 */
import { encodeInto, Tagged } from 'cborg'
import { EMPTY, toUtf8 } from '../../../core/base/bytes.ts'
import { texts } from '../../../core/base/texts.ts'

/** Major types (RFC 8949 section 3.1). */
export const MAJOR = { unsigned: 0, bytes: 2, text: 3, list: 4, map: 5 } as const

type Major = (typeof MAJOR)[keyof typeof MAJOR]

/** A smaller argument is part of the first byte of the head (RFC 8949 section 3). */
export const MIN_LONG_ARGUMENT = 24

/** Tags for integers that have more than 64 bits (RFC 8949 section 3.4.3). */
export const POSITIVE_BIGNUM = 2
export const NEGATIVE_BIGNUM = 3

const BIGNUM_LIMIT = /* @__PURE__ */ 2n ** 64n

/** The maximum length of the head of an item. */
export const MAX_CBOR_HEAD_BYTES = 9

/** The initial size of the buffer, in bytes. Almost all messages fit. */
const INITIAL_BYTES = 4096

/** A wiped buffer of the initial size, for the next writer: allocating one takes longer than writing a short message. */
let spare: Uint8Array | undefined

const MAX_ASCII = 0x7f

/** Encoding a longer text natively is faster. */
const MAX_ASCII_CHARACTERS = 128

/** Items without content; the content of bytes and texts follows their head. */
export type CborScalar = null | boolean | number | bigint

export class CborWriter {
  readonly #maxBytes: number
  readonly #tooLong: (limit: number) => Error
  readonly #capacity: number
  #bytes: Uint8Array
  #length = 0

  /** @param tooLong Creates the error if more than `maxBytes` are written. The error is thrown when the buffer would grow, or by {@link copy}. */
  constructor(maxBytes: number, tooLong: (limit: number) => Error) {
    this.#maxBytes = maxBytes
    this.#tooLong = tooLong
    this.#capacity = maxBytes + MAX_CBOR_HEAD_BYTES * 2
    this.#bytes = this.#capacity < INITIAL_BYTES ? new Uint8Array(this.#capacity) : takeBuffer()
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

  /** Writes a head. @param argument An integer from 0 to 2^32 - 1: the value, or the size of the content. */
  head(major: Major, argument: number): void {
    if (this.#length + MAX_CBOR_HEAD_BYTES > this.#bytes.length) this.#grow(MAX_CBOR_HEAD_BYTES)
    const bytes = this.#bytes
    const first = major << 5
    if (argument < MIN_LONG_ARGUMENT) bytes[this.#length++] = first | argument
    else {
      const width = argument < 0x100 ? 0 : argument < 0x10000 ? 1 : 2
      bytes[this.#length++] = first | (MIN_LONG_ARGUMENT + width)
      for (let shift = (8 << width) - 8; shift >= 0; shift -= 8) bytes[this.#length++] = (argument >>> shift) & 0xff
    }
  }

  /** Writes the head and the content of bytes or a text. */
  raw(major: Major, content: Uint8Array): void {
    this.head(major, content.length)
    if (this.#length + content.length > this.#bytes.length) this.#grow(content.length)
    this.#bytes.set(content, this.#length)
    this.#length += content.length
  }

  /** Writes a text. Short texts of ASCII characters, which are most texts in a message, need no separate encoding. */
  text(text: string): void {
    const from = this.#length
    if (text.length <= MAX_ASCII_CHARACTERS) {
      this.head(MAJOR.text, text.length)
      if (this.#writeAscii(text)) return
      this.#length = from
    }
    this.raw(MAJOR.text, toUtf8(text))
  }

  /** Returns false if the text has other characters. */
  #writeAscii(text: string): boolean {
    if (this.#length + text.length > this.#bytes.length) this.#grow(text.length)
    const bytes = this.#bytes
    const at = this.#length
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > MAX_ASCII) return false
      bytes[at + i] = code
    }
    this.#length += text.length
    return true
  }

  /** Writes a text of at most 23 ASCII characters. */
  shortText(text: string): void {
    if (this.#length + MIN_LONG_ARGUMENT > this.#bytes.length) this.#grow(1 + text.length)
    const bytes = this.#bytes
    bytes[this.#length++] = (MAJOR.text << 5) | text.length
    for (let at = 0; at < text.length; at++) bytes[this.#length++] = text.charCodeAt(at)
  }

  /** Returns a copy of the written bytes. */
  copy(): Uint8Array {
    if (this.#length > this.#maxBytes) throw this.#tooLong(this.#maxBytes)
    return this.#bytes.slice(0, this.#length)
  }

  /** Wipes the buffer. The writer must not be used afterwards. */
  wipe(): void {
    this.#bytes.fill(0)
    if (this.#bytes.length === INITIAL_BYTES) spare = this.#bytes
    this.#bytes = EMPTY
    this.#length = 0
  }

  #encode(value: CborScalar | Tagged, maxBytes: number): void {
    if (this.#length + maxBytes > this.#bytes.length) this.#grow(maxBytes)
    this.#length += encodeInto(value, this.#bytes.subarray(this.#length)).written
  }

  /** Makes room for `more` bytes. */
  #grow(more: number): void {
    const needed = this.#length + more
    if (needed > this.#capacity) throw this.#tooLong(this.#maxBytes)
    const grown = new Uint8Array(Math.min(Math.max(needed, this.#bytes.length * 2), this.#capacity))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes.fill(0)
    this.#bytes = grown
  }
}

/** Returns an empty buffer of the initial size. */
function takeBuffer(): Uint8Array {
  const taken = spare ?? new Uint8Array(INITIAL_BYTES)
  spare = undefined
  return taken
}

/** Returns the bytes of a number, big-endian and without leading zeros. */
function digitsOf(value: bigint): Uint8Array {
  const hex = value.toString(16)
  return texts.fromHex(hex.length % 2 === 0 ? hex : `0${hex}`)
}
