/**
 * Reading bytes that may be anything: stored records that may be damaged, and messages that somebody else made up.
 */
import { fromUtf8 } from '../../../core/base/bytes.ts'
import { isEmptyAt } from './hash-list.ts'

/** Thrown by a {@link ByteReader}, and caught by {@link readBytes}. */
export class MalformedBytesError extends Error {}

/** What `read` makes of bytes that it must use up; undefined where they have another form. */
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

/** Every method throws {@link MalformedBytesError} where the bytes end too early or have another form. Pieces are views. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** How many bytes there are still. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** A big-endian number of `bytes` bytes, at most 6. */
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

  /** Text of so many bytes in UTF-8. */
  text(bytes: number): string {
    const piece = this.bytes(bytes)
    try {
      return fromUtf8(piece)
    } catch {
      throw new MalformedBytesError()
    }
  }

  /** A list as a writer's `sparse` wrote it: `count` items, a multiple of 8, of `width` bytes. */
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

  /** @throws Malformed unless it holds. */
  check(holds: boolean): void {
    if (!holds) throw new MalformedBytesError()
  }
}
