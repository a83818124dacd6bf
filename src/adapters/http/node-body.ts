/** Reads the body of a request to a Node server, up to its limits. */
import type { KernelResponse } from '../../core/contract/request.ts'
import { BUSY, INTERNAL, LARGE_BODY_BYTES, MAX_BODY_BYTES, type ReadBody, TOO_LARGE } from './handles.ts'
import type { BudgetShare } from './memory-budget.ts'
import type { NodeRequest } from './node-request.ts'

/**
 * Never rejects. The body of a refused request stays unread, and the request paused.
 * @param judge Called once, before more than 1 MiB is read.
 * @returns Undefined where the caller went away before the body was complete.
 */
export function readNodeBody(
  request: NodeRequest,
  share: BudgetShare,
  judge: () => Promise<KernelResponse | undefined>,
): Promise<ReadBody | undefined> {
  const declared = Number(request.headers['content-length'])
  if (declared > MAX_BODY_BYTES) return Promise.resolve({ refused: TOO_LARGE })
  const chunks: Uint8Array[] = []
  let size = 0
  let judged = false
  return new Promise((resolve) => {
    const end = (read: ReadBody | undefined) => {
      request.off('data', take).off('end', whole).off('close', gone).off('error', gone)
      // A late error of an aborted request has no other listener.
      request.on('error', () => {})
      resolve(read)
    }
    const refuse = (refused: KernelResponse) => {
      request.pause()
      end({ refused })
    }
    const askFirst = () => {
      judged = true
      request.pause()
      judge().then(
        (refused) => (refused ? refuse(refused) : request.resume()),
        () => refuse(INTERNAL),
      )
    }
    const take = (chunk: Uint8Array) => {
      size += chunk.length
      if (size > MAX_BODY_BYTES) return refuse(TOO_LARGE)
      if (!share.take(chunk.length)) return refuse(BUSY)
      chunks.push(chunk)
      if (size > LARGE_BODY_BYTES && !judged) askFirst()
    }
    const whole = () => end({ bytes: chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size) })
    const gone = () => end(undefined)
    if (declared > LARGE_BODY_BYTES) askFirst()
    request.on('data', take).on('end', whole).on('close', gone).on('error', gone)
  })
}
