/** Every kind of Node server that can use a request listener, and a client without an HTTP library. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createHttp2, createSecureServer, type Http2Server } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { acceptList, type NodeRequest, type NodeResponse } from '../../src/adapters/http/index.ts'
import { selfSigned } from './self-signed.ts'

export type Listener = (request: NodeRequest, response: NodeResponse) => void

export interface Front {
  readonly port: number
  /** The server sides of the connections. */
  readonly sockets: ReadonlySet<Socket>
  connect(): Duplex
  close(): void
}

export interface FrontKind {
  readonly isTls?: boolean
  /** The application protocols that a client offers over TLS. */
  readonly protocols?: string[]
  /** The verbs that requests use in turn. */
  readonly verbs?: readonly string[]
  make(listener: Listener): Server | Http2Server
}

let certificate: ReturnType<typeof selfSigned> | undefined
const tls = () => (certificate ??= selfSigned())

/** Servers that speak HTTP/1.1. */
export const HTTP1_FRONTS: Readonly<Record<string, FrontKind>> = {
  'node:http': { make: (listener) => createServer(listener) },
  'node:http with LIST': { verbs: ['LIST', 'GET', 'LIST'], make: (listener) => acceptList(createServer(listener)) },
  'node:https': { isTls: true, make: (listener) => createHttps(tls(), listener) },
  'node:http2 for clients of HTTP/1.1': {
    isTls: true,
    make: (listener) => createSecureServer({ ...tls(), allowHTTP1: true }, listener as never) as unknown as Http2Server,
  },
}

/** Servers that speak HTTP/2. */
export const HTTP2_FRONTS: Readonly<Record<string, FrontKind>> = {
  'node:http2': { make: (listener) => createHttp2(listener as never) },
  'node:http2 over TLS': {
    isTls: true,
    protocols: ['h2'],
    make: (listener) => createSecureServer(tls(), listener as never) as unknown as Http2Server,
  },
}

export async function openFront(
  { make, isTls = false, protocols = ['http/1.1'] }: FrontKind,
  listener: Listener,
): Promise<Front> {
  const server = make(listener)
  const sockets = new Set<Socket>()
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  // Without a listener, an aborted handshake or session would be an uncaught error.
  server.on('sessionError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    sockets,
    connect() {
      const socket = isTls
        ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: protocols })
        : connect(port, '127.0.0.1')
      return socket.on('error', () => {})
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
