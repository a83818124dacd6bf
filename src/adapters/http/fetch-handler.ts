/** A kernel as a fetch-style handler: `(Request) => Promise<Response>`. */
import { readOptions } from '../../core/base/options.ts'
import type { KernelRequest, KernelResponse } from '../../core/contract/request.ts'
import { streamOf } from './answer-stream.ts'
import { apiPathOf, type PrefixOptions, validatePrefix } from './api-path.ts'
import { BodyBytes } from './body-bytes.ts'
import { encodeAnswer } from './encode-answer.ts'
import { BudgetShare, ConnectionBudget, type MemoryBudget } from './memory-budget.ts'
import {
  BUSY,
  INTERNAL,
  LARGE_HTTP_BODY_BYTES,
  MAX_HTTP_BODY_BYTES,
  type MemoryBounds,
  type MemoryOptions,
  memoryBoundsOf,
  notFoundBelow,
  type ReadBody,
  type RequestHandler,
  TOO_LARGE,
  takesBody,
} from './request-handler.ts'
import { readQuery } from './target.ts'

export interface FetchOptions extends MemoryOptions, PrefixOptions {
  /**
   * Returns the caller's address, which is compared with bound CIDRs. A `Request` does not contain the address, so without this option a
   * token that is bound to networks is refused. Take the address from your server's connection, not from a header that anyone can send.
   */
  readonly remoteAddress?: (request: Request) => string | undefined
}

/**
 * A handler for servers that use `Request` and `Response`. It answers every path at and below `/v1`, or at and below `<prefix>/v1` if the
 * option `prefix` is set, and accepts the verb `LIST`. It answers 404 for other paths.
 *
 * A body above 32 MiB is answered with 413 and not read to its end. The token is validated before more than 1 MiB of a body is read. An
 * answer above 16 KiB is a stream whose bytes count toward the memory budget until they are read. The returned promise never rejects.
 * @throws TypeError for an object that is not a kernel, and for an invalid option.
 */
export function fetchHandler(kernel: RequestHandler, given: FetchOptions = {}): (request: Request) => Promise<Response> {
  const options = readOptions('fetchHandler', given, { maxBodyBytes: 1, stallTimeoutMs: 1, prefix: 1, remoteAddress: 1 })
  if (typeof kernel?.handle !== 'function')
    throw new TypeError('fetchHandler: kernel must be a kernel, or another object with the method handle')
  return fetchHandlerWithLimits(memoryBoundsOf(options), kernel, options)
}

/** A {@link fetchHandler} whose memory bounds the caller provides. */
export function fetchHandlerWithLimits(
  bounds: MemoryBounds,
  kernel: RequestHandler,
  options: Pick<FetchOptions, 'remoteAddress' | 'prefix'> = {},
): (request: Request) => Promise<Response> {
  const parts = { ...options, prefix: validatePrefix(options.prefix), budget: bounds.budget }
  return async (request) => {
    try {
      return await respond(await answer(kernel, request, parts), request, bounds)
    } catch {
      return await respond(INTERNAL, request, bounds)
    }
  }
}

interface AnswerParts extends Pick<FetchOptions, 'remoteAddress'> {
  readonly prefix: string
  readonly budget: MemoryBudget
}

async function answer(
  kernel: RequestHandler,
  request: Request,
  { remoteAddress, prefix, budget }: AnswerParts,
): Promise<KernelResponse> {
  const { method, url } = request
  const { pathname, search } = new URL(url)
  const path = prefix === '' ? pathname : apiPathOf(pathname, prefix)
  if (path === undefined) return notFoundBelow(prefix)
  const asked: KernelRequest = {
    method,
    path,
    query: readQuery(search),
    headers: Object.fromEntries(request.headers),
    remoteAddress: remoteAddress?.(request),
  }
  if (!takesBody(method)) return kernel.handle({ ...asked, signal: request.signal })
  const taken = new BudgetShare(budget)
  try {
    const read = await readBody(request, taken, async () => kernel.precheck?.(asked))
    return 'refused' in read ? read.refused : await kernel.handle({ ...asked, body: read.bytes })
  } finally {
    taken.giveBack()
  }
}

/**
 * @param precheck Returns a refusal, or undefined if the rest of the body may be read. Called at most once, before more than 1 MiB is read.
 * After a refusal, the body is not read any further.
 */
async function readBody(
  { body, headers }: Request,
  room: BudgetShare,
  precheck: () => Promise<KernelResponse | undefined>,
): Promise<ReadBody> {
  if (!body) return { bytes: new Uint8Array(0) }
  const declared = Number(headers.get('Content-Length'))
  let isPrechecked = declared > LARGE_HTTP_BODY_BYTES
  const refused = declared > MAX_HTTP_BODY_BYTES ? TOO_LARGE : isPrechecked ? await precheck() : undefined
  if (refused) {
    await body.cancel()
    return { refused }
  }
  const bytes = new BodyBytes()
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    if (bytes.size + chunk.length > MAX_HTTP_BODY_BYTES) return { refused: TOO_LARGE }
    if (!room.take(chunk.length)) return { refused: BUSY }
    bytes.add(chunk)
    if (bytes.size <= LARGE_HTTP_BODY_BYTES || isPrechecked) continue
    isPrechecked = true
    const later = await precheck()
    if (later) return { refused: later }
  }
  return { bytes: bytes.join() }
}

/**
 * Answers up to this size are never refused for lack of memory, and do not count toward the budget after they are encoded. Counting them
 * would gain little: the other objects of a request take as much memory, and are not counted either.
 */
const COUNTED_BYTES = 16_384

async function respond(answer: KernelResponse, request: Request, { budget, stallTimeoutMs }: MemoryBounds): Promise<Response> {
  const share = new BudgetShare(new ConnectionBudget(budget, COUNTED_BYTES))
  let body: ReadableStream<Uint8Array> | undefined
  try {
    const { status, headers, bytes } = await encodeAnswer(answer, request.method, share)
    if (!bytes || bytes.length <= COUNTED_BYTES) return new Response(bytes ?? null, { status, headers })
    body = streamOf(bytes, share, { stallTimeoutMs, signal: request.signal })
    return new Response(body, { status, headers })
  } catch (thrown) {
    await body?.cancel()
    throw thrown
  } finally {
    if (!body) share.giveBack()
  }
}
