/** Decodes bytes that may be invalid: stored records that may be damaged, and messages from other clusters. */
import { fromUtf8 } from '../../../core/base/bytes.ts'
import { isEmptyAt } from './hash-list.ts'

/** Thrown by {@link ByteReader} and caught by {@link readBytes}. */
export class MalformedBytesError extends Error {}

/** Returns the result of `read`, which must consume all bytes; undefined if the bytes are malformed. */
export function readBytes<T>(bytes: Uint8Array, read: (reader: ByteReader) => T): T | undefined {
  const reader = new ByteReader(bytes)
  try {
    const value = read(reader)
    return reader.left === 0 ? value : undefined
  } catch (error) {
    if (error instanceof MalformedBytesError) return undefined
    throw error
  }
}

/**
 * Decodes bytes from start to end. Every method throws {@link MalformedBytesError} if the bytes are too short or invalid. Returned arrays
 * are views of the bytes, not copies.
 */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The number of remaining bytes. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** Reads a big-endian number that is `bytes` bytes long, at most 6. */
  uint(bytes: number): number {
    let value = 0
    for (const byte of this.bytes(bytes)) value = value * 256 + byte
    return value
  }

  bytes(length: number): Uint8Array {
    if (length > this.left) throw new MalformedBytesError()
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** Reads a UTF-8 string that is `bytes` bytes long. */
  text(bytes: number): string {
    const piece = this.bytes(bytes)
    try {
      return fromUtf8(piece)
    } catch {
      throw new MalformedBytesError()
    }
  }

  /** Reads a list that {@link ByteWriter.sparse} wrote. It has `count` items (a multiple of 8) of `width` bytes each. */
  sparse(count: number, width: number): Uint8Array {
    const bitmap = this.bytes(count / 8)
    const list = new Uint8Array(count * width)
    for (let at = 0; at < count; at++) {
      if ((bitmap[at >> 3]! & (0x80 >> (at & 7))) === 0) continue
      list.set(this.bytes(width), at * width)
      this.check(!isEmptyAt(list, at, width))
    }
    return list
  }

  /** @throws MalformedBytesError if `holds` is false. */
  check(holds: boolean): void {
    if (!holds) throw new MalformedBytesError()
  }
}
