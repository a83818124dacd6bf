/** An answer in its form on the wire. */
import type { Steps } from '../../core/base/steps.ts'
import type { KernelResponse } from '../../core/contract/request.ts'
import { jsonLineSoon } from '../../core/json/json-text.ts'

export interface Written {
  readonly status: number
  readonly headers: Record<string, string>
  /** Undefined where the status or the verb allows none. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

/** Statuses without a body (RFC 9110, sections 15.3.5, 15.3.6, 15.4.5): a health request may choose one of these. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Writes integers of any size in full. A large answer is written in pieces that yield to the event loop. */
export function write({ status, headers, body }: KernelResponse, method: string): Written | Promise<Written> {
  if (body === undefined || BODILESS.has(status)) return { status, headers: { ...headers }, bytes: undefined }
  const sized = (bytes: Uint8Array<ArrayBuffer>): Written => ({
    status,
    headers: { ...headers, 'Content-Length': String(bytes.length) },
    bytes: method === 'HEAD' ? undefined : bytes,
  })
  // A text is no JSON value here: it is what the service wants to be sent.
  if (typeof body === 'string') return sized(new TextEncoder().encode(body))
  const line = jsonLineSoon(body as object)
  return line instanceof Uint8Array ? sized(line) : drive(line).then(sized)
}

async function drive<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await new Promise((resolve) => setTimeout(resolve))
  }
}
