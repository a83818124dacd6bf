/** Assembles frames from received chunks. */
import { type Frame, type FrameHead, GREETING, HEAD_BYTES, readFrameHead } from './frame.ts'

const EMPTY = new Uint8Array(0)
const MIN_CHUNK_BYTES = 65_536

/**
 * Copies chunks into buffers that grow with the received data. Neither many small chunks nor a large announced length can take more than
 * twice the memory of the bytes received.
 */
export class TcpFrameReader {
  readonly #hold: (bytes: number) => void
  #chunk: Uint8Array = EMPTY
  #at = 0
  #greeted = false
  #head: FrameHead | undefined
  /** The greeting, head or content that is being read. It grows up to `#wanted` bytes. */
  #part = new Uint8Array(GREETING.length)
  #wanted = GREETING.length
  #filled = 0

  /** @param hold Called before memory for content is allocated, with the number of bytes. An exception stops the reader. */
  constructor(hold: (bytes: number) => void) {
    this.#hold = hold
  }

  get hasGreeting(): boolean {
    return this.#greeted
  }

  /** Whether the greeting or a frame is incomplete. */
  get isMidFrame(): boolean {
    return !this.#greeted || this.#head !== undefined || this.#filled > 0
  }

  /** Supplies the next chunk. All frames of the previous chunk must have been read with {@link next} before. */
  feed(chunk: Uint8Array): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /**
   * Returns the next complete frame, or undefined if more bytes are needed.
   *
   * @throws Error if the bytes do not follow the protocol.
   */
  next(): Frame | undefined {
    while (this.#fill()) {
      const part = this.#part
      if (!this.#greeted) {
        this.#greeted = true
        this.#expect(HEAD_BYTES, new Uint8Array(HEAD_BYTES))
      } else if (!this.#head) {
        this.#head = readFrameHead(part)
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

  /** Copies bytes of the chunk into the current part. Returns whether the part is now complete. */
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
