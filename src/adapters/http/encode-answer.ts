/** Encodes an answer as bytes. */
import { toUtf8Steps } from '../../core/base/long-text.ts'
import { SLICE_BYTES, type Steps } from '../../core/base/steps.ts'
import type { KernelResponse } from '../../core/contract/request.ts'
import { jsonLineSoon, jsonText } from '../../core/json/json-text.ts'
import type { BudgetShare } from './memory-budget.ts'
import { BUSY } from './request-handler.ts'

export interface EncodedAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  /** Undefined if the status or the verb allows no body. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

/** Statuses without a body (RFC 9110, sections 15.3.5, 15.3.6, 15.4.5). A request to `sys/health` may select one of them for the answer. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Encodes an answer. Integers of any size are written with all digits. A large answer is written in pieces, with pauses for the event loop.
 * @param share The share of the memory budget to which the bytes are added as they are written. If the budget is used up, the result is a
 * 503 instead.
 */
export function encodeAnswer(
  { status, headers, body }: KernelResponse,
  method: string,
  share: BudgetShare,
): EncodedAnswer | Promise<EncodedAnswer> {
  if (body === undefined || BODILESS.has(status)) return { status, headers: { ...headers }, bytes: undefined }
  const done = (bytes: Uint8Array<ArrayBuffer>): EncodedAnswer =>
    share.take(bytes.length - share.bytes) ? sized(status, headers, bytes, method) : busy(method)
  // A string is the body itself, not a JSON value.
  if (typeof body === 'string') {
    if (body.length <= SLICE_BYTES) return done(new TextEncoder().encode(body))
    // Each character takes at least one byte, so reserve that many before encoding. Encoding 45 MB in one step would take 200 ms.
    return share.take(body.length) ? drive(toUtf8Steps(body)).then(done) : busy(method)
  }
  const line = jsonLineSoon(body as object, (characters) => {
    if (!share.take(characters)) throw NO_ROOM
  })
  if (line instanceof Uint8Array) return done(line)
  return drive(line).then(done, (thrown) => {
    if (thrown !== NO_ROOM) throw thrown
    return busy(method)
  })
}

/** Thrown to stop writing an answer. */
const NO_ROOM = new Error('the budget has no room for this answer')

const busy = (method: string): EncodedAnswer =>
  sized(BUSY.status, BUSY.headers, new TextEncoder().encode(`${jsonText(BUSY.body as object)}\n`), method)

const sized = (
  status: number,
  headers: KernelResponse['headers'],
  bytes: Uint8Array<ArrayBuffer>,
  method: string,
): EncodedAnswer => ({
  status,
  headers: { ...headers, 'Content-Length': String(bytes.length) },
  bytes: method === 'HEAD' ? undefined : bytes,
})

async function drive<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await new Promise((resolve) => setTimeout(resolve))
  }
}
