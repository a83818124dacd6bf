/** gRPC messages in a stream: each has a flag, its length in four bytes, and its content. */
import { ProtoReader, ProtoWriter } from './protobuf.ts'

const HEAD_BYTES = 5

/**
 * The maximum size of an answer, as a multiple of the maximum request size. A read of several keys returns at most 64 records, and each of
 * them was written by a request of at most that size. The remaining third is a reserve.
 */
export const REQUESTS_PER_ANSWER = 96

export function frameOf(write: (to: ProtoWriter) => void): Buffer {
  const writer = new ProtoWriter(HEAD_BYTES)
  write(writer)
  const frame = writer.finish()
  frame[0] = 0
  frame.writeUInt32BE(frame.length - HEAD_BYTES, 1)
  return frame
}

/** Splits received bytes into messages. */
export class GrpcFrameReader {
  #chunks: Buffer[] = []
  #length = 0
  readonly #maxBytes: number

  /** @param maxBytes The maximum size of one message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * @returns The messages that are now complete.
   * @throws RangeError as soon as the length of a message is known to exceed the maximum.
   */
  take(chunk: Buffer): ProtoReader[] {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const messages: ProtoReader[] = []
    for (let frame = this.#next(); frame; frame = this.#next()) messages.push(new ProtoReader(frame))
    return messages
  }

  #next(): Buffer | undefined {
    if (this.#length < HEAD_BYTES) return undefined
    let [first] = this.#chunks as [Buffer]
    if (first.length < HEAD_BYTES) first = this.#join()
    const length = first.readUInt32BE(1)
    if (length > this.#maxBytes) throw new RangeError(`it sent a message of ${length} bytes; the maximum is ${this.#maxBytes}`)
    const end = HEAD_BYTES + length
    if (this.#length < end) return undefined
    if (first.length < end) first = this.#join()
    this.#chunks[0] = first.subarray(end)
    this.#length -= end
    return first.subarray(HEAD_BYTES, end)
  }

  #join(): Buffer {
    const whole = Buffer.concat(this.#chunks)
    this.#chunks = [whole]
    return whole
  }
}
