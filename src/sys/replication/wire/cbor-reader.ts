/**
 * Reads single CBOR items (RFC 8949) with the tokenizer of the `cborg` library. Every method throws an error if the next item is invalid, or
 * if the deterministic encoding (section 4.2.1) of its value is different.
 */
import { encode, Tokenizer, Type } from 'cborg'
import { plainBytes } from '../../../core/base/bytes.ts'
import { texts } from '../../../core/base/texts.ts'
import { equalBytes } from '../../../core/crypto/equal.ts'
import {
  type CborScalar,
  MAJOR,
  MAX_CBOR_HEAD_BYTES,
  MIN_LONG_ARGUMENT,
  NEGATIVE_BIGNUM,
  POSITIVE_BIGNUM,
} from './cbor-writer.ts'

const STRICT = {
  strict: true,
  allowIndefinite: false,
  allowUndefined: false,
  allowNaN: false,
  allowInfinity: false,
  allowBigInt: true,
} as const

/** Integers that have fewer bytes are not encoded as bignums. */
const MIN_BIGNUM_BYTES = 9

/** The size of an integer of 1,025 digits, the longest that a JSON request may contain. */
const MAX_BIGNUM_BYTES = 426

export type CborItem =
  | { readonly kind: 'list' | 'map'; readonly size: number }
  /** The bytes are a view of the input. */
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'value'; readonly value: CborScalar | Uint8Array }

export class CborReader extends Tokenizer {
  constructor(bytes: Uint8Array) {
    super(plainBytes(bytes), STRICT)
  }

  item(): CborItem {
    const from = this._pos
    // Do not decode the text with cborg, which would replace invalid UTF-8 and remove a byte order mark.
    if (this.data[from]! >> 5 === MAJOR.text) return { kind: 'text', bytes: this.content(MAJOR.text) }
    const { type, value } = this.next()
    if (type === Type.array) return { kind: 'list', size: this.#size(value, 1) }
    if (type === Type.map) return { kind: 'map', size: this.#size(value, 2) }
    if (type === Type.tag) return { kind: 'value', value: this.#bignum(value) }
    if (type === Type.float && !equalBytes(encode(value), this.data.subarray(from, this._pos)))
      throw new RangeError('a number does not have its shortest form')
    return { kind: 'value', value }
  }

  /** @param least The minimum number of bytes per entry. */
  #size(size: number | bigint, least: number): number {
    if (Number(size) * least > this.data.length - this._pos) throw new RangeError('the size exceeds the remaining bytes')
    return Number(size)
  }

  /** Reads the content of bytes or of a text. Returns a view of the input. */
  content(major: number): Uint8Array {
    const first = this.data[this._pos]!
    if (first >> 5 !== major) throw new RangeError('an item of another type is required')
    let size = first & 31
    if (size < MIN_LONG_ARGUMENT) this._pos++
    else size = this.#longArgument()
    if (size > this.data.length - this._pos) throw new RangeError('the size exceeds the remaining bytes')
    this._pos += size
    return this.data.subarray(this._pos - size, this._pos)
  }

  /**
   * Reads a head of more than one byte. Apart from its major type, the head of every item is encoded like an unsigned integer. So clear the
   * major type and read an integer.
   */
  #longArgument(): number {
    const head = this.data.slice(this._pos, this._pos + MAX_CBOR_HEAD_BYTES)
    head[0]! &= 31
    const { value, encodedLength } = new Tokenizer(head, STRICT).next()
    this._pos += encodedLength!
    return Number(value)
  }

  #bignum(tag: number): bigint {
    const isNegative = tag === NEGATIVE_BIGNUM
    if (!isNegative && tag !== POSITIVE_BIGNUM) throw new RangeError('a tag is unknown')
    const digits = this.content(MAJOR.bytes)
    if (digits.length < MIN_BIGNUM_BYTES || digits.length > MAX_BIGNUM_BYTES || digits[0] === 0)
      throw new RangeError('an integer is invalid')
    const value = BigInt(`0x${texts.hex(digits)}`)
    return isNegative ? -1n - value : value
  }
}
