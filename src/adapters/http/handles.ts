/**
 * What both handlers need of a kernel, and the few answers they give themselves. Room: adapters/http. Imported by both handlers.
 */
import type { KernelRequest, KernelResponse } from '../../core/request/request.ts'

/** A kernel, or whatever else answers requests as one does. */
export interface Handles {
  handle(request: KernelRequest): Promise<KernelResponse>
}

/** The largest body in bytes, as in `handle()` itself (spec document 1, "Limits"). */
export const MAX_BODY_BYTES = 33_554_432

/** Verbs whose body holds parameters. That of any other is not read. */
export const takesBody = (method: string): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH'

const refusal = (status: number, error: string): KernelResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  body: { errors: [error] },
})

export const TOO_LARGE: KernelResponse = refusal(413, `body: exceeds ${MAX_BODY_BYTES} bytes`)

/** Whatever went wrong here, nothing of it is told. */
export const INTERNAL: KernelResponse = refusal(500, 'internal error')
