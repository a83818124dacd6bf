/** The parts of a kernel that both handlers use, and the answers that the handlers create without the kernel. */
import type { OptionDuration, ReadOptions } from '../../core/base/options.ts'
import type { KernelRequest, KernelResponse } from '../../core/contract/request.ts'
import { MemoryBudget } from './memory-budget.ts'

/** A kernel, or another object that answers requests. */
export interface RequestHandler {
  handle(request: KernelRequest): Promise<KernelResponse>
  /**
   * Checks a request before its large body is read. Returns the answer if the request is refused whatever its body contains, else
   * undefined. Without this method, every body is read to its end.
   */
  precheck?(request: KernelRequest): Promise<KernelResponse | undefined>
}

/** Limits for the memory of a handler. */
export interface MemoryOptions {
  /**
   * The maximum number of bytes of all bodies and answers together. A body counts from its first byte until the kernel has answered, an
   * answer until the peer has taken it. A request that exceeds the limit is answered with 503 and `Retry-After`. Small requests are still
   * served, because each connection may use 64 KiB in addition. Default 268,435,456 (256 MiB).
   */
  readonly maxBodyBytes?: number
  /**
   * The time in milliseconds in which a peer must send each 64 KiB of a body and take each 64 KiB of an answer. If a peer sends a body more
   * slowly, the answer is 408. If a peer takes an answer more slowly, its HTTP/2 stream or HTTP/1.1 connection is closed. Default 30,000.
   */
  readonly stallTimeoutMs?: OptionDuration
}

/** Valid {@link MemoryOptions}. */
export interface MemoryBounds {
  readonly budget: MemoryBudget
  readonly stallTimeoutMs: number
}

/** The maximum size of a body, which is also the limit of `handle()`. */
export const MAX_HTTP_BODY_BYTES = 33_554_432

/** If a body is larger than this, the rest of it is read only after the kernel has checked the request without its body. */
export const LARGE_HTTP_BODY_BYTES = 1_048_576

/** The maximum delay of a timer in Node. */
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

/** The verbs whose body contains parameters. The body of any other verb is not read. */
export const takesBody = (method: string): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH'

const refusal = (status: number, error: string, headers: KernelResponse['headers'] = {}): KernelResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  body: { errors: [error] },
})

/** The body of a request, or the answer if the body was not read to its end. */
export type ReadBody = { readonly bytes: Uint8Array } | { readonly refused: KernelResponse }

/** The answer to a client that stopped sending its body. */
export const STALLED: KernelResponse = refusal(
  408,
  "body: the next 64 KiB did not arrive within the server's time limit; send the request again",
)

/** The answer for a path outside the handler's prefix. */
export const notFoundBelow = (prefix: string): KernelResponse => refusal(404, `path: must begin with ${prefix}/v1/`)

export const TOO_LARGE: KernelResponse = refusal(413, `body: exceeds ${MAX_HTTP_BODY_BYTES} bytes`)

/** The answer to a request for which other bodies and answers leave no memory. */
export const BUSY: KernelResponse = refusal(
  503,
  "this server's memory for requests and answers is used up; retry after a second",
  {
    'Retry-After': '1',
  },
)

/** The answer after an internal failure. It contains no details. */
export const INTERNAL: KernelResponse = refusal(500, 'internal error')
