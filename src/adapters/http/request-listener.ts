/**
 * A kernel as a request listener of `node:http`, `node:https` and `node:http2`.
 */
import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { KernelRequest, KernelResponse } from '../../core/contract/request.ts'
import type { BodyRoom } from './body-room.ts'
import { type BodyOptions, type Handles, INTERNAL, MAX_BODY_BYTES, roomFor, takesBody } from './handles.ts'
import { readNodeBody } from './node-body.ts'
import type { NodeRequest } from './node-request.ts'
import { readTarget } from './target.ts'
import { type Written, write } from './written.ts'

export type NodeResponse = ServerResponse | Http2ServerResponse

export interface ListenerOptions extends BodyOptions {
  /**
   * Where the caller is; what bound CIDRs are checked against. Default: the other end of the socket. Behind a proxy of yours, take it from
   * the header that the proxy sets, and only there: anybody can send that header.
   */
  readonly remoteAddress?: (request: NodeRequest) => string | undefined
}

/**
 * A listener for `createServer` of `node:http`, `node:https` and `node:http2`, and middleware for frameworks on top of them. It answers
 * everything at and below `/v1/`; elsewhere it calls `next` where there is one, and answers 404 where there is none. Put it in front of
 * whatever reads bodies: it wants the bytes, and takes `request.body` only where they are gone.
 *
 * A body above 32 MiB is answered with 413 before it is read on, and the connection is closed. Of a body above 1 MiB no more than that is read
 * before the kernel has judged the token. Verbs other than POST, PUT and PATCH have no body to read. A caller that goes away before its body is complete is forgotten; how slow one may be is up to the timeouts of the server.
 * The verb `LIST` arrives over HTTP/2; over HTTP/1.1 Node refuses it, unless the server was passed to {@link acceptList}.
 * @throws TypeError for something that is no kernel, and for an option that cannot be right.
 */
export function requestListener(
  kernel: Handles,
  options: ListenerOptions = {},
): (request: NodeRequest, response: NodeResponse, next?: () => void) => void {
  if (typeof kernel?.handle !== 'function') throw new TypeError('requestListener: takes a kernel')
  const room = roomFor(options)
  return (request, response, next) => {
    const method = request.method ?? ''
    const target = readTarget(request.url ?? '')
    if (next && !/^\/v1(?:\/|$)/.test(target.path)) return next()
    answer(kernel, request, { method, ...target }, options, room)
      .then((answered) => answered && send(request, response, answered))
      .catch(() => send(request, response, { made: INTERNAL, unread: false }))
  }
}

interface Answered {
  readonly made: KernelResponse
  /** The body was not read to its end. */
  readonly unread: boolean
}

const whole = (made: KernelResponse): Answered => ({ made, unread: false })

/** Undefined where nobody is left to answer to. */
async function answer(
  kernel: Handles,
  request: NodeRequest,
  target: Pick<KernelRequest, 'method' | 'path' | 'query'>,
  { remoteAddress }: ListenerOptions,
  room: BodyRoom,
): Promise<Answered | undefined> {
  // Read at once: the socket of a caller that went away tells nothing any more.
  const remote_address = remoteAddress ? remoteAddress(request) : request.socket.remoteAddress
  const asked = { ...target, headers: headersOf(request), remote_address }
  if (!takesBody(target.method)) return whole(await kernel.handle(asked))
  if (request.readableEnded) return whole(await kernel.handle({ ...asked, body: (request as { body?: unknown }).body }))
  const taken = room.open()
  try {
    const read = await readNodeBody(request, taken, async () => kernel.refusal?.(asked))
    if (!read) return undefined
    if ('refused' in read) return { made: read.refused, unread: true }
    return whole(await kernel.handle({ ...asked, body: read.bytes }))
  } finally {
    taken.giveBack()
  }
}

/** Repeated headers as lists: `request.headers` would join them, and one token is not two. */
function headersOf({ rawHeaders }: NodeRequest): NonNullable<KernelRequest['headers']> {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const value = rawHeaders[i + 1] as string
    const before = headers[name]
    // HTTP/2 has the request line among its headers.
    if (name.startsWith(':')) continue
    if (before === undefined) headers[name] = value
    else if (typeof before === 'string') headers[name] = [before, value]
    else before.push(value)
  }
  return headers
}

/** At once unless the answer is large. */
function send(request: NodeRequest, response: NodeResponse, { made, unread }: Answered): void | Promise<void> {
  const written = write(made, request.method ?? '')
  const go = (ready: Written): void => finish(request, response, ready, unread)
  return written instanceof Promise ? written.then(go) : go(written)
}

function finish(
  request: NodeRequest,
  response: NodeResponse,
  { status, headers, bytes }: Written,
  unread: Answered['unread'],
): void {
  if (response.destroyed || response.headersSent) return
  if (unread && request.httpVersionMajor === 1) headers['Connection'] = 'close'
  for (const name in headers) response.setHeader(name, headers[name] as string)
  response.statusCode = status
  if (unread) endUnread(request, response, bytes)
  else if (bytes) response.end(bytes)
  else response.end()
}

/** What a caller may go on sending after it was refused, in bytes and milliseconds. */
const LINGER_BYTES = 2 * MAX_BODY_BYTES

const LINGER_MS = 2000

/**
 * Ends the connection, but not at once: a socket that is closed with unread bytes in it is reset, and the caller, who is still sending,
 * would see that instead of the answer. So the answer goes out whole, and what comes in is thrown away for a while.
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
  ;(response as { write(chunk: unknown): boolean }).write(bytes)
  request.on('error', () => {})
  request.on('data', drop).on('end', end).on('close', end)
  request.resume()
}
