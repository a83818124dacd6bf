/** The part of a kernel that both handlers need, and the few answers they give themselves. */
import type { OptionDuration, ReadOptions } from '../../core/base/options.ts'
import type { KernelRequest, KernelResponse } from '../../core/contract/request.ts'
import { MemoryBudget } from './memory-budget.ts'

/** A kernel, or another object that answers requests as one does. */
export interface RequestHandler {
  handle(request: KernelRequest): Promise<KernelResponse>
  /**
   * The refusal of a request with a large body that does not depend on the body. Without this method every body is read to its
   * end.
   */
  precheck?(request: KernelRequest): Promise<KernelResponse | undefined>
}

/** Bounds of the memory that a handler uses. */
export interface MemoryOptions {
  /**
   * The most bytes of all bodies and answers together: of bodies from the first byte read until the kernel has answered, of answers until
   * the peer has taken them. A request that exceeds it is answered with 503 and `Retry-After`. Small requests are still served then: each
   * connection may hold 64 KiB beyond it. Default 268,435,456 (256 MiB).
   */
  readonly maxBodyBytes?: number
  /**
   * The milliseconds in which a peer has to send each 64 KiB of a body, and to take each 64 KiB of an answer. A body that takes longer is
   * answered with 408. An answer that takes longer ends the HTTP/2 stream, or the connection. Default 30,000.
   */
  readonly stallTimeoutMs?: OptionDuration
}

/** Valid {@link MemoryOptions}. */
export interface MemoryBounds {
  readonly budget: MemoryBudget
  readonly stallTimeoutMs: number
}

/** The largest body in bytes, as in `handle()` itself (spec document 1, "Limits"). */
export const MAX_BODY_BYTES = 33_554_432

/** A longer body is read on only after the kernel has judged the rest of the request. */
export const LARGE_BODY_BYTES = 1_048_576

/** The longest delay of a timer. */
const MAX_TIMEOUT_MS = 2_147_483_647

/** @throws TypeError for an invalid option. */
export function memoryBoundsOf({
  maxBodyBytes = 268_435_456,
  stallTimeoutMs = 30_000,
}: ReadOptions<MemoryOptions>): MemoryBounds {
  if (!(Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0))
    throw new TypeError('maxBodyBytes: must be a positive whole number of bytes')
  if (!(Number.isSafeInteger(stallTimeoutMs) && stallTimeoutMs > 0 && stallTimeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`stallTimeoutMs: must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`)
  return { budget: new MemoryBudget(maxBodyBytes), stallTimeoutMs }
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

/** The answer to a caller that stopped sending its body. */
export const STALLED: KernelResponse = refusal(408, 'body: was not sent in time')

/** The answer to a request outside of the prefix of a handler. */
export const notFoundBelow = (prefix: string): KernelResponse => refusal(404, `path: must begin with ${prefix}/v1/`)

export const TOO_LARGE: KernelResponse = refusal(413, `body: exceeds ${MAX_BODY_BYTES} bytes`)

/** The answer when other bodies and answers take the whole budget. */
export const BUSY: KernelResponse = refusal(
  503,
  'other requests and answers use all memory of this server: try again in a second',
  {
    'Retry-After': '1',
  },
)

/** The answer to any internal failure; it shows no details. */
export const INTERNAL: KernelResponse = refusal(500, 'internal error')
