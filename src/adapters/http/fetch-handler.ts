/**
 * A kernel as a fetch-style handler: `(Request) => Promise<Response>`. Room: adapters/http. Imported by index.ts.
 */
import type { KernelRequest, KernelResponse } from '../../core/request/request.ts'
import { type Handles, INTERNAL, MAX_BODY_BYTES, TOO_LARGE, takesBody } from './handles.ts'
import { readQuery } from './target.ts'
import { write } from './written.ts'

export interface FetchOptions {
  /**
   * Where the caller is; what bound CIDRs are checked against. A `Request` does not know, so without this a token that is bound to networks
   * is refused. Take it from what your server knows of the connection, not from a header that anybody can send.
   */
  readonly remoteAddress?: (request: Request) => string | undefined
}

/**
 * A handler for servers that speak in `Request` and `Response`. It answers everything at and below `/v1/`, `LIST` included, and 404
 * elsewhere. A body above 32 MiB is answered with 413 and not read to its end. It never rejects.
 * @throws TypeError for something that is no kernel.
 */
export function fetchHandler(kernel: Handles, options: FetchOptions = {}): (request: Request) => Promise<Response> {
  if (typeof kernel?.handle !== 'function') throw new TypeError('fetchHandler: takes a kernel')
  return async (request) => {
    try {
      return await respond(await answer(kernel, request, options), request.method)
    } catch {
      return await respond(INTERNAL, request.method)
    }
  }
}

async function answer(kernel: Handles, request: Request, { remoteAddress }: FetchOptions): Promise<KernelResponse> {
  const { method, url } = request
  const { pathname, search } = new URL(url)
  const asked: KernelRequest = {
    method,
    path: pathname,
    query: readQuery(search),
    headers: Object.fromEntries(request.headers),
    remote_address: remoteAddress?.(request),
  }
  if (!takesBody(method)) return kernel.handle(asked)
  const body = await readBody(request)
  return body ? kernel.handle({ ...asked, body }) : TOO_LARGE
}

/** Undefined where there is too much of it: then the rest is not read. */
async function readBody({ body, headers }: Request): Promise<Uint8Array | undefined> {
  if (!body) return new Uint8Array(0)
  if (Number(headers.get('Content-Length')) > MAX_BODY_BYTES) {
    await body.cancel()
    return undefined
  }
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size)
}

async function respond(answer: KernelResponse, method: string): Promise<Response> {
  const { status, headers, bytes } = await write(answer, method)
  return new Response(bytes ?? null, { status, headers })
}
