/** Sends an answer no faster than the peer takes it. */
import type { Writable } from 'node:stream'
import { http2StreamOf, type NodeResponse } from './node-request.ts'
import { StallTimer } from './stall-timer.ts'

/** The number of bytes that are written to a connection at a time. The peer must take each such piece in time. */
export const ANSWER_PIECE_BYTES = 65_536

export interface Pacing {
  /** The time in milliseconds in which the peer must take each piece. */
  readonly stallTimeoutMs: number
  /** Called when the peer has taken a piece. */
  readonly onProgress?: () => void
  /**
   * Called when a piece is written. The function that it returns closes the response, and is called if the peer does not take the piece in
   * time.
   */
  readonly watch: () => () => void
}

/**
 * Ends a response with these bytes.
 * @returns A promise that resolves when the last byte is sent or the peer has disconnected; undefined if all bytes are already sent.
 */
export function sendPaced(
  response: NodeResponse,
  bytes: Uint8Array | undefined,
  { stallTimeoutMs, onProgress = () => {}, watch }: Pacing,
): Promise<void> | undefined {
  const rest = new Pieces(response, bytes ?? new Uint8Array(0))
  const stream = http2StreamOf(response)
  if (rest.push() && !stream && response.writableLength === 0) return undefined
  return new Promise((resolve) => {
    // An HTTP/2 response emits `finish` only when its stream is closed, which the peer can delay. So listen to the stream itself.
    const out: Writable = stream ?? (response as Writable)
    const stall = new StallTimer(stallTimeoutMs)
    const arm = () => {
      const abandon = watch()
      stall.start(() => {
        if (stream) arm()
        abandon()
        if (!stream) closed()
      })
    }
    const taken = () => {
      onProgress()
      arm()
      rest.push()
    }
    // A failed HTTP/2 connection may never report that its streams are closed, so keep watching until they are.
    const sent = () => {
      onProgress()
      arm()
      resolve()
    }
    const closed = () => {
      stall.stop()
      out.off('drain', taken).off('finish', sent).off('close', closed)
      resolve()
    }
    if (out.destroyed) return closed()
    out.on('drain', taken).on('finish', sent).on('close', closed)
    arm()
  })
}

class Pieces {
  readonly #response: Writable
  readonly #bytes: Uint8Array
  #at = 0

  constructor(response: NodeResponse, bytes: Uint8Array) {
    this.#response = response as Writable
    this.#bytes = bytes
  }

  /** Writes pieces until the buffer of the connection is full. @returns Whether everything is written. */
  push(): boolean {
    if (this.#response.writableEnded) return true
    while (this.#bytes.length - this.#at > ANSWER_PIECE_BYTES) {
      const piece = this.#bytes.subarray(this.#at, this.#at + ANSWER_PIECE_BYTES)
      this.#at += ANSWER_PIECE_BYTES
      if (!this.#response.write(piece)) return false
    }
    const last = this.#bytes.subarray(this.#at)
    if (last.length > 0) this.#response.end(last)
    else this.#response.end()
    return true
  }
}
