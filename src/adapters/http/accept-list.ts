/**
 * Accepts the verb `LIST` on Node servers that speak HTTP/1.1.
 *
 * Node's HTTP parser has a fixed table of verbs and fails at the third letter of LIST; after that it parses nothing more of the connection.
 * This module gives the refused bytes to a new parser on the same socket, with `GET` in place of `LIST`. The new parser handles everything
 * else (the rest of the head, bodies, limits, timeouts, pipelined requests) as on a new connection that begins with these bytes.
 */
import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Http2SecureServer, Http2Server } from 'node:http2'
import { Server as HttpsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import { ListConnection, type TakenSocket, takeSocket } from './list-connection.ts'

type AnyServer = HttpServer | HttpsServer | Http2Server | Http2SecureServer

/** The state of a connection: a socket, or a {@link ListConnection} on one. */
interface Connection {
  /** The last bytes before the packet that is being parsed. */
  tail: string
  /** The number of requests that are not fully answered. */
  open: number
  /** Whether the next request was sent as LIST. */
  list: boolean
  /** Whether the connection was handed over to another parser. */
  left: boolean
  /** Called when the last answer has been sent. */
  whenQuiet: (() => void) | undefined
  /** The socket's listeners that were registered before those of the parser. */
  kept: ReadonlySet<unknown>
}

const accepting = new WeakSet<AnyServer>()

/**
 * Makes a server accept the verb `LIST`, which most clients of Vault send and Node's HTTP/1.1 parser refuses. Such a request arrives as a
 * GET whose query begins with `list=true`. Works with `node:http`, `node:https` and the HTTP/1.1 part of `node:http2`, even if the server
 * is already listening, but not for connections that are already open. Other parser errors are handled as usual.
 *
 * The function observes the server's events and the ends of packets, which costs a few microseconds per request.
 * @returns The server.
 */
export function acceptList<S extends AnyServer>(server: S): S {
  const isHttp1 = server instanceof HttpServer || server instanceof HttpsServer
  if (accepting.has(server) || !(isHttp1 || server instanceof TlsServer)) return server
  accepting.add(server)
  const watcher = new Watcher(server, server instanceof TlsServer ? 'secureConnection' : 'connection')
  const emit = server.emit as (...args: unknown[]) => boolean
  // Replace `emit` instead of listening to `clientError`: other listeners of that event would answer 400 to a request that is being served,
  // and the server itself answers errors only if the event has no listener.
  server.emit = (event: string | symbol, ...args: unknown[]): boolean =>
    watcher.takes(event, args) || watcher.saw(event, args, emit.call(server, event, ...args))
  return server
}

/** The letters of LIST that the parser accepts, and the letter at which it fails. */
const BEFORE = 'LI'
const FAILS_AT = 'S'.charCodeAt(0)
/**
 * The number of bytes before the failing letter that are compared. The parser also fails at the S of `UNLIST`, because it knows the verb
 * UNLINK. The two bytes before `LI` distinguish LIST from that.
 */
const TAIL_BYTES = 4

const NOBODY: ReadonlySet<unknown> = new Set()

class Watcher {
  readonly #server: AnyServer
  readonly #begins: string
  readonly #connections = new WeakMap<object, Connection>()

  constructor(server: AnyServer, begins: string) {
    this.#server = server
    this.#begins = begins
  }

  /** Returns whether the event must not reach other listeners. */
  takes(event: string | symbol, args: readonly unknown[]): boolean {
    if (event === 'clientError') return this.#refused(args[0] as ParseError, args[1] as Duplex)
    if (event === 'request' || event === 'checkContinue' || event === 'checkExpectation')
      this.#requested(args[0] as IncomingMessage, args[1] as ServerResponse)
    else if (event === this.#begins) this.#began(args[0] as Duplex)
    return false
  }

  /** Called after the server has handled an event. @returns `result`, which the server's own `emit` returned. */
  saw(event: string | symbol, [socket]: readonly unknown[], result: boolean): boolean {
    if (event === this.#begins) this.#watch(socket as Duplex)
    return result
  }

  #began(socket: Duplex): void {
    if ((socket as { alpnProtocol?: unknown }).alpnProtocol === 'h2') return
    this.#of(socket).kept = new Set([...socket.listeners('data'), ...socket.listeners('end')])
  }

  #watch(socket: Duplex): void {
    const connection = this.#connections.get(socket)
    if (!connection) return
    // This listener runs after the parser's. So when the parser fails, `tail` still has the bytes before the packet.
    socket.on('data', (chunk: Buffer) => {
      const last = chunk.toString('latin1', Math.max(0, chunk.length - TAIL_BYTES))
      connection.tail = (connection.tail + last).slice(-TAIL_BYTES)
    })
  }

  #of(socket: object): Connection {
    const known = this.#connections.get(socket)
    if (known) return known
    const connection = { tail: '', open: 0, list: false, left: false, whenQuiet: undefined, kept: NOBODY }
    this.#connections.set(socket, connection)
    return connection
  }

  #requested(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket)
    if (!connection) return
    connection.open++
    response.once('close', () => {
      connection.open--
      if (connection.open === 0) connection.whenQuiet?.()
    })
    if (!connection.list) return
    connection.list = false
    request.url = asList(request.url ?? '')
  }

  #refused(error: ParseError, socket: Duplex): boolean {
    const connection = this.#connections.get(socket)
    if (!connection) return false
    // The former parser reports an error when it gets no more bytes. Ignore it.
    if (connection.left) return true
    const rest = restOfList(connection.tail, error)
    if (!rest || (socket instanceof ListConnection && !socket.isList)) return false
    connection.left = true
    const line = takeSocket(socket, rest, connection.kept)
    const go = () => setImmediate(() => this.#goOn(line))
    if (connection.open === 0) go()
    else connection.whenQuiet = go
    return true
  }

  /** Continues with a new parser. Called when all answers are sent, because answers must be sent in the order of the requests. */
  #goOn(line: TakenSocket): void {
    if (line.source.destroyed) return
    const next: ListConnection = new ListConnection(line, () => {
      this.#of(next).list = true
    })
    this.#of(next)
    this.#server.emit(this.#begins, next)
    next.begin()
  }
}

/** Node's error for a request that its parser refuses. */
interface ParseError extends Error {
  readonly code?: string
  /** The parser's position in the packet. */
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

/** If the refused request may be a LIST, returns its bytes from the letter L on; otherwise undefined. */
function restOfList(tail: string, { code, bytesParsed, rawPacket }: ParseError): Buffer | undefined {
  if (code !== 'HPE_INVALID_METHOD' || bytesParsed === undefined || rawPacket?.[bytesParsed] !== FAILS_AT) return undefined
  const before = tail + rawPacket.toString('latin1', Math.max(0, bytesParsed - TAIL_BYTES), bytesParsed)
  if (!before.endsWith(BEFORE) || before.endsWith(`UN${BEFORE}`)) return undefined
  return Buffer.concat([Buffer.from(BEFORE), rawPacket.subarray(bytesParsed)])
}

/** Inserts `list=true` before the other parameters, because the first value of a repeated parameter counts. */
export function asList(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? `${url}?list=true` : `${url.slice(0, mark)}?list=true&${url.slice(mark + 1)}`
}
