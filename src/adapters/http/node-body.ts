/** Reads the body of a request to a Node server, up to its limits. */
import type { KernelResponse } from '../../core/contract/request.ts'
import { BodyBytes } from './body-bytes.ts'
import type { BudgetShare } from './memory-budget.ts'
import type { NodeRequest } from './node-request.ts'
import { ANSWER_PIECE_BYTES } from './paced-answer.ts'
import {
  BUSY,
  INTERNAL,
  LARGE_HTTP_BODY_BYTES,
  MAX_HTTP_BODY_BYTES,
  type ReadBody,
  STALLED,
  TOO_LARGE,
} from './request-handler.ts'
import { StallTimer } from './stall-timer.ts'

/**
 * Reads a body. The returned promise never rejects. If the request is refused, it is paused, and the rest of its body stays unread.
 * @param precheck Returns a refusal, or undefined if the rest of the body may be read. Called at most once, before more than 1 MiB is read.
 * @param stallTimeoutMs The time in milliseconds in which each 64 KiB of the body must arrive.
 * @returns Undefined if the client disconnected before the body was complete.
 */
export function readNodeBody(
  request: NodeRequest,
  share: BudgetShare,
  precheck: () => Promise<KernelResponse | undefined>,
  stallTimeoutMs: number,
): Promise<ReadBody | undefined> {
  const declared = Number(request.headers['content-length'])
  if (declared > MAX_HTTP_BODY_BYTES) return Promise.resolve({ refused: TOO_LARGE })
  const bytes = new BodyBytes()
  const stall = new StallTimer(stallTimeoutMs)
  let isPrechecked = false
  return new Promise((resolve) => {
    const end = (read: ReadBody | undefined) => {
      stall.stop()
      request.off('data', take).off('end', whole).off('close', gone).off('error', gone)
      // An aborted request may emit an error later. Without a listener, the error would end the process.
      request.on('error', () => {})
      resolve(read)
    }
    const refuse = (refused: KernelResponse) => {
      request.pause()
      end({ refused })
    }
    const awaitPiece = () => stall.start(() => refuse(STALLED))
    const askFirst = () => {
      isPrechecked = true
      stall.stop()
      request.pause()
      precheck().then(
        (refused) => {
          if (refused) return refuse(refused)
          if (!request.destroyed) awaitPiece()
          request.resume()
        },
        () => refuse(INTERNAL),
      )
    }
    let pieces = 0
    const take = (chunk: Uint8Array) => {
      if (bytes.size + chunk.length > MAX_HTTP_BODY_BYTES) return refuse(TOO_LARGE)
      if (!share.take(chunk.length)) return refuse(BUSY)
      bytes.add(chunk)
      if (bytes.size > LARGE_HTTP_BODY_BYTES && !isPrechecked) return askFirst()
      if (bytes.size < (pieces + 1) * ANSWER_PIECE_BYTES) return
      pieces = Math.floor(bytes.size / ANSWER_PIECE_BYTES)
      awaitPiece()
    }
    const whole = () => end({ bytes: bytes.join() })
    const gone = () => end(undefined)
    awaitPiece()
    if (declared > LARGE_HTTP_BODY_BYTES) askFirst()
    request.on('data', take).on('end', whole).on('close', gone).on('error', gone)
  })
}
