/**
 * Frames from the chunks in which they arrive.
 */
import { type Frame, type FrameHead, GREETING, HEAD_BYTES, readHead } from './frame.ts'

const EMPTY = new Uint8Array(0)
const MIN_CHUNK_BYTES = 65_536

/**
 * Copies what arrives into memory of its own, so that neither many small chunks nor an announced length take more than twice the bytes
 * that have arrived.
 */
export class FrameReader {
  readonly #hold: (bytes: number) => void
  #chunk: Uint8Array = EMPTY
  #at = 0
  #greeted = false
  #head: FrameHead | undefined
  /** The greeting, head or content that is being read; it grows up to `#wanted` bytes. */
  #part = new Uint8Array(GREETING.length)
  #wanted = GREETING.length
  #filled = 0

  /** @param hold Called with the bytes of memory that a content takes, before they are taken. Throwing ends the reading. */
  constructor(hold: (bytes: number) => void) {
    this.#hold = hold
  }

  get hasGreeting(): boolean {
    return this.#greeted
  }

  /** Something has begun to arrive, or must arrive, that is not whole. */
  get isMidFrame(): boolean {
    return !this.#greeted || this.#head !== undefined || this.#filled > 0
  }

  /** The next bytes. All before them must have been read with {@link next}. */
  feed(chunk: Uint8Array): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /**
   * The next whole frame; undefined when more bytes are needed.
   * @throws Error for bytes that are no frames.
   */
  next(): Frame | undefined {
    while (this.#fill()) {
      const part = this.#part
      if (!this.#greeted) {
        this.#greeted = true
        this.#expect(HEAD_BYTES, new Uint8Array(HEAD_BYTES))
      } else if (!this.#head) {
        this.#head = readHead(part)
        this.#expect(this.#head.length, EMPTY)
      } else {
        const { kind, id } = this.#head
        this.#head = undefined
        this.#expect(HEAD_BYTES, new Uint8Array(HEAD_BYTES))
        return { kind, id, content: part }
      }
    }
    this.#chunk = EMPTY
    this.#at = 0
    return undefined
  }

  #expect(bytes: number, part: Uint8Array<ArrayBuffer>): void {
    this.#wanted = bytes
    this.#part = part
    this.#filled = 0
  }

  /** Whether the part is whole. */
  #fill(): boolean {
    const from = this.#filled
    const taken = Math.min(this.#wanted - from, this.#chunk.length - this.#at)
    this.#reserve(from + taken)
    this.#part.set(this.#chunk.subarray(this.#at, this.#at + taken), from)
    this.#at += taken
    this.#filled += taken
    if (!this.#greeted)
      for (let at = from; at < this.#filled; at++)
        if (this.#part[at] !== GREETING[at]) throw new Error('the peer does not speak this protocol')
    return this.#filled === this.#wanted
  }

  #reserve(bytes: number): void {
    const before = this.#part
    if (bytes <= before.length) return
    const size = Math.min(this.#wanted, Math.max(bytes, 2 * before.length, MIN_CHUNK_BYTES))
    this.#hold(size - before.length)
    this.#part = new Uint8Array(size)
    this.#part.set(before)
  }
}
