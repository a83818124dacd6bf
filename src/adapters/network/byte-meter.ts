/** Counts what a peer sends, so that an answer without an end takes no more memory than one of the largest permitted size. */
import type { Duplex } from 'node:stream'

/** The code of the error that ends a connection whose peer sent too much. */
const TOO_LONG = 'answer_too_long'

/** Ends the connection. Drivers pass it on, or its code. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'
  readonly code = TOO_LONG

  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`)
  }
}

/** Ends the connection at a compressed answer: a thousand bytes of one can stand for a million. */
export class AnswerEncoded extends Error {
  override readonly name = 'AnswerEncoded'
  readonly code = 'answer_encoded'

  constructor() {
    super('the answer is compressed although that was not asked for')
  }
}

export interface ByteMeter {
  /** Counts from zero: a new answer is expected. */
  reset(): void
}

/** Takes each received chunk. @throws Error that ends the connection. */
export type ChunkCheck = (chunk: Uint8Array) => void

/**
 * Checks every chunk before the stream buffers it, and destroys the stream by the error that the check throws. A socket reads by its method
 * `push`, before and after a handshake of TLS, so nothing else has to be known about its reader.
 */
export function checkChunks<S extends Duplex>(stream: S, check: ChunkCheck): S {
  const push = stream.push.bind(stream)
  stream.push = (chunk: Uint8Array | null, encoding?: BufferEncoding): boolean => {
    if (stream.destroyed) return false
    try {
      if (chunk !== null) check(chunk)
    } catch (error) {
      stream.destroy(error as Error)
      return false
    }
    return push(chunk, encoding)
  }
  return stream
}

/** Destroys the stream by {@link AnswerTooLong} after `maxBytes` since the last reset. */
export function meterBytes(stream: Duplex, maxBytes: number): ByteMeter {
  let received = 0
  checkChunks(stream, ({ length }) => {
    received += length
    if (received > maxBytes) throw new AnswerTooLong(maxBytes)
  })
  return {
    reset() {
      received = 0
    },
  }
}
