/** A kernel as a request listener of `node:http`, `node:https` and `node:http2`. */

import type { ServerResponse } from 'node:http'
import { readOptions } from '../../core/base/options.ts'
import type { KernelRequest, KernelResponse } from '../../core/contract/request.ts'
import { apiTargetOf, type PrefixOptions, validatePrefix } from './api-path.ts'
import { Http1Pipelines } from './http1-pipelines.ts'
import { type EndTurn, type Http2Connection, Http2Connections } from './http2-connections.ts'
import { BudgetShare, ConnectionBudget } from './memory-budget.ts'
import { readNodeBody } from './node-body.ts'
import { type HttpExchange, http2StreamOf, type NodeRequest, type NodeResponse } from './node-request.ts'
import type { Pacing } from './paced-answer.ts'
import {
  BUSY,
  INTERNAL,
  type MemoryBounds,
  type MemoryOptions,
  memoryBoundsOf,
  notFoundBelow,
  type RequestHandler,
  takesBody,
} from './request-handler.ts'
import { sendAnswer, type UnsentAnswer } from './send-answer.ts'

export interface ListenerOptions extends MemoryOptions, PrefixOptions {
  /**
   * Returns the caller's address, which is compared with bound CIDRs. Default: the address of the socket's peer. If you run your own proxy,
   * take the address from the header that the proxy sets. Otherwise do not use a header, because anyone can send it.
   */
  readonly remoteAddress?: (request: NodeRequest) => string | undefined
}

/**
 * A listener for `createServer` of `node:http`, `node:https` and `node:http2`, and middleware for frameworks. It answers everything at and
 * below `/v1`. For other paths it calls `next`, or answers 404 without `next`. Put the listener before any middleware that reads bodies: it
 * needs the bytes, and uses `request.body` only if they were already read.
 *
 * A framework may mount the listener anywhere: after `app.use('/kms', listener)` clients call `/kms/v1/...`, after `app.use('/v1',
 * listener)` they call `/v1/...`. A mount below `/v1`, such as `app.use('/v1/transit', listener)`, serves only that part of the API. The
 * removed prefix is taken from `request.baseUrl` or `request.originalUrl`, which Express, Connect and Fastify set.
 *
 * A body above 32 MiB is answered with 413 and not read to its end, and the connection is closed. The token is validated before more than 1
 * MiB of a body is read. Bodies of verbs other than POST, PUT and PATCH are not read. If a client disconnects before its body is complete,
 * the request is dropped. Slow clients are limited by `stallTimeoutMs` and the server's own timeouts. The verb `LIST` works over HTTP/2.
 * Over HTTP/1.1 Node refuses it, unless the server was passed to {@link acceptList}.
 *
 * A pipelined request begins when the answers before it are sent. At most 32 requests of an HTTP/2 connection are served at a time, not
 * counting blocking reads. An answer is sent no faster than the peer takes it, and counts toward the same memory budget as bodies.
 * @throws TypeError for an object that is not a kernel, and for an invalid option.
 */
export function requestListener(
  kernel: RequestHandler,
  given: ListenerOptions = {},
): (request: NodeRequest, response: NodeResponse, next?: () => void) => void {
  if (typeof kernel?.handle !== 'function')
    throw new TypeError('requestListener: kernel must be a kernel, or another object with the method handle')
  const options = readOptions('requestListener', given, { maxBodyBytes: 1, stallTimeoutMs: 1, prefix: 1, remoteAddress: 1 })
  return listenerWithLimits(memoryBoundsOf(options), kernel, options)
}

/** A {@link requestListener} whose memory bounds the caller provides. */
export function listenerWithLimits(
  bounds: MemoryBounds,
  kernel: RequestHandler,
  options: Pick<ListenerOptions, 'remoteAddress' | 'prefix'> = {},
): (request: NodeRequest, response: NodeResponse, next?: () => void) => void {
  const prefix = validatePrefix(options.prefix)
  const server = new RequestServer(kernel, bounds, options.remoteAddress)
  const pipelines = new Http1Pipelines(bounds.budget)
  const connections = new Http2Connections(bounds.budget)
  return (request, response, next) => {
    const { isApi, ...target } = apiTargetOf(request, prefix)
    if (next && !isApi) return next()
    const asked = { method: request.method ?? '', ...target }
    // If no prefix is configured, pass other paths on: the kernel refuses them.
    const refusal = isApi || prefix === '' ? undefined : notFoundBelow(prefix)
    const session = http2StreamOf(response)?.session
    const exchange = { request, response, connection: session && connections.of(session) }
    if (session) return server.serve(exchange, asked, refusal)
    const begin = () => server.serve(exchange, asked, refusal)
    pipelines.enter(request.socket, response as ServerResponse, begin, () => server.refuse(exchange))
  }
}

interface ServedExchange extends HttpExchange {
  /** Undefined for HTTP/1.1. */
  readonly connection: Http2Connection | undefined
}

type HttpTarget = Pick<KernelRequest, 'method' | 'path' | 'query'>

const whole = (made: KernelResponse): UnsentAnswer => ({ made, unread: false })

class RequestServer {
  readonly #kernel: RequestHandler
  readonly #bounds: MemoryBounds
  readonly #remoteAddress: ListenerOptions['remoteAddress']

  constructor(kernel: RequestHandler, bounds: MemoryBounds, remoteAddress: ListenerOptions['remoteAddress']) {
    this.#kernel = kernel
    this.#bounds = bounds
    this.#remoteAddress = remoteAddress
  }

  /**
   * Serves a request. Never throws.
   * @param refusal The answer, if the request must not reach the kernel.
   */
  serve(exchange: ServedExchange, target: HttpTarget, refusal?: KernelResponse): void {
    if (refusal) return void this.#send(exchange, { made: refusal, unread: takesBody(target.method) })
    let endTurn: EndTurn | undefined
    this.#answer(exchange, target, (end) => {
      endTurn = end
    })
      .then((answered) => answered && this.#send(exchange, answered))
      .catch(() => this.#send(exchange, whole(INTERNAL)))
      .finally(() => endTurn?.())
  }

  /** Answers 503 and closes the connection. */
  refuse(exchange: ServedExchange): void {
    void this.#send(exchange, { made: BUSY, unread: true })
  }

  /** Returns undefined if the client has disconnected. */
  async #answer(exchange: ServedExchange, target: HttpTarget, onTurn: (end: EndTurn) => void): Promise<UnsentAnswer | undefined> {
    const { request } = exchange
    // Read the address now, because the socket no longer has it after the client has disconnected.
    const remoteAddress = this.#remoteAddress ? this.#remoteAddress(request) : request.socket.remoteAddress
    const asked = { ...target, headers: headersOf(request), remoteAddress }
    if (!takesBody(target.method)) return this.#handle(exchange, asked, onTurn)
    if (request.readableEnded) return this.#handle(exchange, { ...asked, body: (request as { body?: unknown }).body }, onTurn)
    const share = new BudgetShare(this.#bounds.budget)
    try {
      const { stallTimeoutMs } = this.#bounds
      const read = await readNodeBody(request, share, async () => this.#kernel.precheck?.(asked), stallTimeoutMs)
      if (!read) return undefined
      if ('refused' in read) return { made: read.refused, unread: true }
      return await this.#handle(exchange, { ...asked, body: read.bytes }, onTurn)
    } finally {
      share.giveBack()
    }
  }

  async #handle(
    { response, connection }: ServedExchange,
    asked: KernelRequest,
    onTurn: (end: EndTurn) => void,
  ): Promise<UnsentAnswer | undefined> {
    if (!connection) return whole(await this.#kernel.handle(untilGone(asked, response)))
    const stream = http2StreamOf(response)
    const turn = stream ? connection.turn(stream) : 'gone'
    const end = turn instanceof Promise ? await turn : turn
    if (end === 'gone') return undefined
    if (end === 'busy') return whole(BUSY)
    onTurn(end)
    return whole(await this.#kernel.handle(untilGone(asked, response, end)))
  }

  #send(exchange: ServedExchange, answered: UnsentAnswer): void | Promise<void> {
    const { request, response, connection } = exchange
    const share = new BudgetShare(connection?.budget ?? new ConnectionBudget(this.#bounds.budget))
    const stream = connection && http2StreamOf(response)
    const { stallTimeoutMs } = this.#bounds
    const pacing: Pacing =
      connection && stream
        ? { stallTimeoutMs, onProgress: connection.progressed, watch: () => connection.watch(stream) }
        : { stallTimeoutMs, watch: () => () => request.socket.destroy() }
    return sendAnswer(exchange, answered, share, pacing)
  }
}

/**
 * Adds a signal that ends a blocking read when its client disconnects. The signal is created only when the kernel reads the property,
 * because few requests wait.
 * @param onWait Called when the request begins to wait.
 */
function untilGone(asked: KernelRequest, response: NodeResponse, onWait?: () => void): KernelRequest {
  return {
    ...asked,
    get signal() {
      onWait?.()
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      return gone.signal
    },
  }
}

/** Returns the headers. Repeated headers become lists: `request.headers` would join their values, but two tokens must not become one. */
function headersOf({ rawHeaders }: NodeRequest): NonNullable<KernelRequest['headers']> {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const value = rawHeaders[i + 1] as string
    const before = headers[name]
    // HTTP/2 includes the parts of the request line as headers.
    if (name.startsWith(':')) continue
    if (before === undefined) headers[name] = value
    else if (typeof before === 'string') headers[name] = [before, value]
    else before.push(value)
  }
  return headers
}
