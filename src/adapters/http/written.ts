/**
 * An answer of the kernel as what goes over the wire. Room: adapters/http. Imported by both handlers.
 */
import { jsonText } from '../../core/json-text.ts'
import type { KernelResponse } from '../../core/request/request.ts'

export interface Written {
  readonly status: number
  readonly headers: Record<string, string>
  /** Undefined where the status or the verb allows none. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

/** Statuses without a body (RFC 9110, sections 15.3.5, 15.3.6, 15.4.5): the health of a kernel may be asked to come as one. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Integers of any size are written as they are. */
export function write({ status, headers, body }: KernelResponse, method: string): Written {
  if (body === undefined || BODILESS.has(status)) return { status, headers: { ...headers }, bytes: undefined }
  const bytes = new TextEncoder().encode(`${jsonText(body as object)}\n`)
  const sized = { ...headers, 'Content-Length': String(bytes.length) }
  return { status, headers: sized, bytes: method === 'HEAD' ? undefined : bytes }
}
