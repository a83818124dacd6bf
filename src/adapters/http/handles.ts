/** The part of a kernel that both handlers need, and the few answers they give themselves. */
import type { KernelRequest, KernelResponse } from '../../core/contract/request.ts'
import { BodyRoom } from './body-room.ts'

/** A kernel, or another object that answers requests as one does. */
export interface Handles {
  handle(request: KernelRequest): Promise<KernelResponse>
  /**
   * The refusal of a request with a large body that does not depend on the body. Without this method every body is read to its
   * end.
   */
  refusal?(request: KernelRequest): Promise<KernelResponse | undefined>
}

/** Bounds of the bodies that a handler reads. */
export interface BodyOptions {
  /**
   * The most bytes of all bodies together, from the first byte read to the answer. A request whose body exceeds it is answered
   * with 503 and `Retry-After`. Default 268,435,456 (256 MiB).
   */
  readonly maxBodyBytes?: number
}

/** The largest body in bytes, as in `handle()` itself (spec document 1, "Limits"). */
export const MAX_BODY_BYTES = 33_554_432

/** A longer body is read on only after the kernel has judged the rest of the request. */
export const LARGE_BODY_BYTES = 1_048_576

/** @throws TypeError for an invalid number of bytes. */
export function roomFor({ maxBodyBytes = 268_435_456 }: BodyOptions): BodyRoom {
  if (!(Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0))
    throw new TypeError('maxBodyBytes is a positive whole number of bytes')
  return new BodyRoom(maxBodyBytes)
}

/** Verbs whose body holds parameters. The body of any other verb is not read. */
export const takesBody = (method: string): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH'

const refusal = (status: number, error: string, headers: KernelResponse['headers'] = {}): KernelResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  body: { errors: [error] },
})

/** The body of a request, or the answer where the body was not read to its end. */
export type ReadBody = { readonly bytes: Uint8Array } | { readonly refused: KernelResponse }

export const TOO_LARGE: KernelResponse = refusal(413, `body: exceeds ${MAX_BODY_BYTES} bytes`)

/** The answer when bodies of other requests take the whole budget. */
export const BUSY: KernelResponse = refusal(503, 'too many large requests at the same time: try again in a second', {
  'Retry-After': '1',
})

/** The answer to any internal failure; it shows no details. */
export const INTERNAL: KernelResponse = refusal(500, 'internal error')
