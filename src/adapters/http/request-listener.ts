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
   * The caller's address, which bound CIDRs are checked against. Default: the other end of the socket. Behind your own proxy,
   * take it from the header that the proxy sets, and only there: anybody can send that header.
   */
  readonly remoteAddress?: (request: NodeRequest) => string | undefined
}

/**
 * A listener for `createServer` of `node:http`, `node:https` and `node:http2`, and middleware for frameworks on top of them. It
 * answers everything at and below `/v1/`; elsewhere it calls `next`, or answers 404 where there is none. Put it before any
 * middleware that reads bodies: it needs the bytes, and uses `request.body` only where they are gone.
 *
 * A body above 32 MiB is answered with 413 before it is read on, and the connection is closed. Of a body above 1 MiB only that
 * much is read before the kernel has judged the token. Bodies of verbs other than POST, PUT and PATCH are not read. A caller that
 * goes away before its body is complete is forgotten; the timeouts of the server limit slow callers. The verb `LIST` arrives over
 * HTTP/2; over HTTP/1.1 Node refuses it, unless the server was passed to {@link acceptList}.
 * @throws TypeError for an object that is no kernel, and for an invalid option.
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
    answer(kernel, { request, response }, { method, ...target }, options, room)
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

/** Undefined where the caller is gone. */
async function answer(
  kernel: Handles,
  { request, response }: { readonly request: NodeRequest; readonly response: NodeResponse },
  target: Pick<KernelRequest, 'method' | 'path' | 'query'>,
  { remoteAddress }: ListenerOptions,
  room: BodyRoom,
): Promise<Answered | undefined> {
  // Read at once: the socket of a caller that went away has no address any more.
  const remote_address = remoteAddress ? remoteAddress(request) : request.socket.remoteAddress
  const asked = { ...target, headers: headersOf(request), remote_address }
  if (!takesBody(target.method)) return whole(await kernel.handle(untilGone(asked, response)))
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

/** A blocking read ends when its caller goes away. The signal is made where somebody asks for it, as few requests wait. */
function untilGone(asked: KernelRequest, response: NodeResponse): KernelRequest {
  return {
    ...asked,
    get signal() {
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      return gone.signal
    },
  }
}

/** Repeated headers as lists: `request.headers` would join them, and one token is not two. */
function headersOf({ rawHeaders }: NodeRequest): NonNullable<KernelRequest['headers']> {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const value = rawHeaders[i + 1] as string
    const before = headers[name]
    // HTTP/2 lists the parts of the request line among the headers.
    if (name.startsWith(':')) continue
    if (before === undefined) headers[name] = value
    else if (typeof before === 'string') headers[name] = [before, value]
    else before.push(value)
  }
  return headers
}

/** Synchronous unless the answer is large. */
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

/** How much a refused caller may go on sending, in bytes and milliseconds. */
const LINGER_BYTES = 2 * MAX_BODY_BYTES

const LINGER_MS = 2000

/**
 * Ends the connection with a delay: closing a socket with unread bytes resets it, and the caller, who is still sending, would see
 * the reset instead of the answer. So the whole answer is sent first, and incoming bytes are discarded for a while.
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
