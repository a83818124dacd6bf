/**
 * A kernel as a request listener of `node:http`, `node:https` and `node:http2`.
 */

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
   * The caller's address, which bound CIDRs are checked against. Default: the other end of the socket. Behind your own proxy,
   * take it from the header that the proxy sets, and only there: anybody can send that header.
   */
  readonly remoteAddress?: (request: NodeRequest) => string | undefined
}

/**
 * A listener for `createServer` of `node:http`, `node:https` and `node:http2`, and middleware for frameworks on top of them. It
 * answers everything at and below `/v1`; for other paths it calls `next`, or answers 404 without one. Put it before any
 * middleware that reads bodies: it needs the bytes, and uses `request.body` only if they are gone.
 *
 * A framework may mount it anywhere: after `app.use('/kms', listener)` clients call `/kms/v1/...`, after `app.use('/v1',
 * listener)` they call `/v1/...`. A mount below `/v1`, such as `app.use('/v1/transit', listener)`, serves that part of the API
 * alone. The removed prefix is read from `request.baseUrl` or `request.originalUrl`, which Express, Connect and Fastify set.
 *
 * A body above 32 MiB is answered with 413 before it is read on, and the connection is closed. Of a body above 1 MiB only that
 * much is read before the kernel has judged the token. Bodies of verbs other than POST, PUT and PATCH are not read. A caller that
 * goes away before its body is complete is forgotten; the timeouts of the server limit slow callers. The verb `LIST` arrives over
 * HTTP/2; over HTTP/1.1 Node refuses it, unless the server was passed to {@link acceptList}.
 *
 * A pipelined request begins when the answers before it are sent. 32 requests of an HTTP/2 connection are served at a time,
 * besides reads that block. An answer is sent no faster than its peer takes it, and counts in the same budget as bodies.
 * @throws TypeError for an object that is no kernel, and for an invalid option.
 */
export function requestListener(
  kernel: RequestHandler,
  given: ListenerOptions = {},
): (request: NodeRequest, response: NodeResponse, next?: () => void) => void {
  if (typeof kernel?.handle !== 'function') throw new TypeError('requestListener: takes a kernel')
  const options = readOptions('requestListener', given, { maxBodyBytes: 1, stallTimeoutMs: 1, prefix: 1, remoteAddress: 1 })
  return listenerWithLimits(memoryBoundsOf(options), kernel, options)
}

/** A {@link requestListener} whose budget the caller can inspect. */
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
    // Without a prefix the kernel refuses the path itself.
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
   * Never throws.
   * @param refusal The answer to a request that the kernel does not get.
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

  /** Undefined if the caller is gone. */
  async #answer(exchange: ServedExchange, target: HttpTarget, onTurn: (end: EndTurn) => void): Promise<UnsentAnswer | undefined> {
    const { request } = exchange
    // Read at once: the socket of a caller that went away has no address any more.
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
 * A blocking read ends when its caller goes away. The signal is made only when it is read, as few requests wait.
 * @param onWait Called when the request is going to wait.
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
