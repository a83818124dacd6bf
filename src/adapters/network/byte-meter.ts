/** Limits the length of answers, so that an endless answer cannot exhaust memory. */
import type { Duplex } from 'node:stream'

const TOO_LONG = 'answer_too_long'

/**
 * The error that ends a connection whose peer sent too much. It has a code, because some database drivers pass on only the code of an
 * error.
 */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'
  readonly code = TOO_LONG

  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`)
  }
}

/** The error that ends a connection whose answer is compressed: one kilobyte of compressed data can expand to a megabyte. */
export class AnswerEncoded extends Error {
  override readonly name = 'AnswerEncoded'
  readonly code = 'answer_encoded'

  constructor() {
    super('the answer is compressed although compression was not requested')
  }
}

export interface ByteMeter {
  /** Starts counting from zero, before the next answer. */
  reset(): void
}

/** Inspects each received chunk. An exception ends the connection. */
export type ChunkCheck = (chunk: Uint8Array) => void

/**
 * Checks each chunk before the stream buffers it. If the check throws, the stream is destroyed with that error.
 *
 * The function wraps `push`, because sockets deliver all received data through `push`, before and after the TLS handshake.
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

/** Destroys the stream with {@link AnswerTooLong} if it receives more than `maxBytes` after the last reset. */
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
