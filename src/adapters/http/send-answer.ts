/** Sends an answer of the kernel as a Node response. */
import type { KernelResponse } from '../../core/contract/request.ts'
import { type EncodedAnswer, encodeAnswer } from './encode-answer.ts'
import type { BudgetShare } from './memory-budget.ts'
import type { HttpExchange, NodeRequest, NodeResponse } from './node-request.ts'
import { type Pacing, sendPaced } from './paced-answer.ts'
import { MAX_HTTP_BODY_BYTES } from './request-handler.ts'

export interface UnsentAnswer {
  readonly made: KernelResponse
  /** Whether the body was not read to its end. */
  readonly unread: boolean
}

/**
 * @param share Counts the bytes of the answer toward the memory budget until the answer is sent.
 * @returns A promise that resolves when the answer is sent or the peer has disconnected; undefined if the answer is already sent.
 */
export function sendAnswer(
  exchange: HttpExchange,
  { made, unread }: UnsentAnswer,
  share: BudgetShare,
  pacing: Pacing,
): void | Promise<void> {
  const go = (ready: EncodedAnswer) => finish(exchange, ready, unread, pacing)
  const giveBack = () => share.giveBack()
  let sent: void | Promise<void>
  try {
    const written = encodeAnswer(made, exchange.request.method ?? '', share)
    sent = written instanceof Promise ? written.then(go) : go(written)
  } catch (thrown) {
    giveBack()
    throw thrown
  }
  if (sent) return sent.finally(giveBack)
  giveBack()
}

function finish(
  { request, response }: HttpExchange,
  { status, headers, bytes }: EncodedAnswer,
  unread: UnsentAnswer['unread'],
  pacing: Pacing,
): void | Promise<void> {
  // If the connection was closed while an HTTP/1.1 response waited for earlier responses, `response.destroyed` is false.
  const isGone = request.httpVersionMajor === 1 && request.socket.destroyed
  if (isGone || response.destroyed || response.headersSent) return
  if (unread && request.httpVersionMajor === 1) headers['Connection'] = 'close'
  for (const name in headers) response.setHeader(name, headers[name] as string)
  response.statusCode = status
  if (unread) return endUnread(request, response, bytes)
  return sendPaced(response, bytes, pacing)
}

/** The limits for what a refused client may continue to send, in bytes and milliseconds. */
const LINGER_BYTES = 2 * MAX_HTTP_BODY_BYTES

const LINGER_MS = 2000

/**
 * Ends the connection with a delay. Closing a socket with unread bytes resets it, and a client that is still sending would see the reset
 * instead of the answer. So the answer is sent first, and incoming bytes are discarded for a while.
 */
function endUnread(request: NodeRequest, response: NodeResponse, bytes: Uint8Array | undefined): void {
  let left = LINGER_BYTES
  const end = () => {
    clearTimeout(timer)
    request.off('data', drop).off('end', end).off('close', end)
    if (!response.writableEnded) response.end()
    if (!request.readableEnded) request.resume()
  }
  const drop = (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) end()
  }
  const timer = setTimeout(end, LINGER_MS)
  if (bytes) (response as { write(chunk: unknown): boolean }).write(bytes)
  request.on('error', () => {})
  request.on('data', drop).on('end', end).on('close', end)
  request.resume()
}
