/** Reads DER (X.690). Accepts only the unique DER encoding of a value, and no bytes after the last value. */
import { invalid, type KernelError } from '../../base/errors.ts'

export const INTEGER = 0x02
export const BIT_STRING = 0x03
export const OCTET_STRING = 0x04
export const NULL = 0x05
export const OBJECT_IDENTIFIER = 0x06
export const SEQUENCE = 0x30
/** The tag of a constructed element with the context-specific number `n`. */
export const explicitTag = (n: number): number => 0xa0 + n

/**
 * Reads the elements of a DER value in order. Elements can contain other elements, which have a reader of their own. All returned bytes are
 * views of the input.
 */
export class DerReader {
  readonly bytes: Uint8Array
  readonly #what: string
  #at = 0

  /** @param what The name of the value in error messages. */
  constructor(bytes: Uint8Array, what: string) {
    this.bytes = bytes
    this.#what = what
  }

  get atEnd(): boolean {
    return this.#at === this.bytes.length
  }

  /** The offset of the next element. */
  get at(): number {
    return this.#at
  }

  /** The tag of the next element. Undefined if no element follows. */
  get nextTag(): number | undefined {
    return this.bytes[this.#at]
  }

  /** Reads the next element and returns a reader of its contents. @throws KernelError 400 if the element has another tag or is truncated */
  next(tag: number): DerReader {
    if (this.bytes[this.#at] !== tag) throw this.malformed()
    const [from, to] = this.#contents()
    this.#at = to
    return new DerReader(this.bytes.subarray(from, to), this.#what)
  }

  /**
   * Reads the next element, which may have any tag, and returns its bytes including tag and length. Empty if no element follows. @throws
   * KernelError 400 if the element is truncated
   */
  rest(): Uint8Array {
    if (this.atEnd) return this.bytes.subarray(this.#at)
    const start = this.#at
    this.#at = this.#contents()[1]
    return this.bytes.subarray(start, this.#at)
  }

  /**
   * If the next element has this tag, reads it and returns a reader of its contents; otherwise undefined. @throws KernelError 400 if the
   * element is truncated
   */
  optional(tag: number): DerReader | undefined {
    return this.nextTag === tag ? this.next(tag) : undefined
  }

  /**
   * Reads a non-negative INTEGER and returns its big-endian bytes without leading zeros. @throws KernelError 400 if the next element is not
   * such an integer
   */
  unsigned(): Uint8Array {
    const { bytes } = this.next(INTEGER)
    const [first, second = 0] = bytes
    if (first === undefined || first >= 0x80 || (bytes.length > 1 && first === 0 && second < 0x80)) throw this.malformed()
    return first === 0 ? bytes.subarray(1) : bytes
  }

  /** @throws KernelError 400 if another element follows */
  end(): void {
    if (!this.atEnd) throw this.malformed()
  }

  malformed(): KernelError {
    return invalid(`${this.#what}: must be valid DER of the expected structure`)
  }

  /** The offsets at which the contents of the next element start and end. */
  #contents(): readonly [number, number] {
    const { bytes } = this
    let from = this.#at + 2
    let length = bytes[this.#at + 1] ?? 0xff
    if (length & 0x80) {
      // Accept at most four length bytes; no request needs more. An indefinite length (0x80) is not valid DER.
      const count = length & 0x7f
      if (count === 0 || count > 4 || bytes.length - from < count) throw this.malformed()
      length = 0
      for (const stop = from + count; from < stop; from++) length = length * 256 + (bytes[from] as number)
      if (length < 0x80 || length < 2 ** (8 * (count - 1))) throw this.malformed()
    }
    if (length > bytes.length - from) throw this.malformed()
    return [from, from + length]
  }
}
