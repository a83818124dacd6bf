/** An HTTP server for a kernel or a configuration service. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { acceptList } from '../adapters/http/accept-list.ts'
import type { NodeRequest, NodeResponse } from '../adapters/http/node-request.ts'
import type { RequestHandler } from '../adapters/http/request-handler.ts'
import { requestListener } from '../adapters/http/request-listener.ts'
import { readOptions } from '../core/base/options.ts'
import { isLocalHost } from './local-names.ts'
import { type AnyServer, OpenConnections } from './open-connections.ts'

/** A certificate chain and its private key, in PEM format. */
export interface ServerCertificate {
  readonly key: string | Uint8Array
  readonly cert: string | Uint8Array
}

/** Answers requests for a path that is not part of the API, such as a page. */
export type PathHandler = (request: NodeRequest, response: NodeResponse) => void

export interface ListenOptions {
  /** The address or host name on which the server listens. Default `127.0.0.1`, which other machines cannot reach. */
  readonly host?: string
  /** The port; 0 selects a free one. Default 8200. */
  readonly port?: number
  /** Serves HTTPS with HTTP/2 and HTTP/1.1. Default: HTTP without encryption. */
  readonly tls?: ServerCertificate
}

export interface ServedPaths {
  /** Handlers of paths outside the API, by the first segment of the path, such as `ui`. All others are answered with 404. */
  readonly pages?: Readonly<Record<string, PathHandler>>
  /** Whether to answer 403 to requests that name another host than this machine. Default false. */
  readonly isLocalOnly?: boolean
}

/** A running server. It does not own the kernel. */
export interface KernelServer extends AsyncDisposable {
  /** The URL of the server, without a trailing slash, such as `http://127.0.0.1:8200`. */
  readonly address: string
  /**
   * Stops listening, and resolves when all connections are closed. Requests in flight have five seconds to finish; afterwards their
   * connections are cut.
   */
  stop(): Promise<void>
}

/**
 * Serves the API of a handler below `/v1/`.
 * @param what The name of the public function, for messages.
 * @throws TypeError for invalid options; the error of Node if the port is in use or the certificate is invalid.
 */
export async function openHttpServer(
  what: string,
  handler: RequestHandler,
  { host = '127.0.0.1', port = 8200, tls }: ListenOptions,
  { pages = {}, isLocalOnly = false }: ServedPaths = {},
): Promise<KernelServer> {
  if (typeof host !== 'string' || host === '') throw new TypeError(`${what}: host must be a string that is not empty`)
  if (!(Number.isSafeInteger(port) && port >= 0 && port <= 65_535))
    throw new TypeError(`${what}: port must be a whole number from 0 to 65535`)
  const paths = withPages(requestListener(handler), pages)
  const server = acceptList(openServer(what, tls, isLocalOnly ? withLocalHost(paths) : paths))
  const connections = new OpenConnections(server)
  server.listen(port, host)
  await once(server, 'listening')
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= connections.close()
    return stopping
  }
  return { address: addressOf(server.address() as AddressInfo, tls !== undefined), stop, [Symbol.asyncDispose]: stop }
}

function openServer(what: string, tls: ServerCertificate | undefined, listener: PathHandler): AnyServer {
  if (tls === undefined) return createHttpServer(listener)
  const { key, cert } = readOptions(what, tls, { key: 1, cert: 1 }, 'tls.')
  return createSecureServer({ key: asPem(key), cert: asPem(cert), allowHTTP1: true }, listener)
}

const asPem = (text: string | Uint8Array): string | Buffer => (typeof text === 'string' ? text : Buffer.from(text))

/** Requests for the first path segment of a page go to its handler, and the root of the server is redirected to the page `ui`. */
function withPages(api: PathHandler, pages: Readonly<Record<string, PathHandler>>): PathHandler {
  const handlers = new Map(Object.entries(pages))
  return (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] as string
    const handler = handlers.get(path.split('/', 2)[1] as string)
    if (handler) return handler(request, response)
    if (path === '/' && handlers.has('ui')) {
      response.writeHead(307, { Location: '/ui/' })
      return void response.end()
    }
    api(request, response)
  }
}

/** The answer has the form of the API. */
const NOT_LOCAL = JSON.stringify({
  errors: [
    'a dev server on the loopback interface answers only to IP addresses and localhost; give it a host to use other names',
  ],
})

function withLocalHost(listener: PathHandler): PathHandler {
  return (request, response) => {
    if (isLocalHost(request.headers.host)) return listener(request, response)
    response.writeHead(403, { 'Content-Type': 'application/json' })
    response.end(NOT_LOCAL)
  }
}

function addressOf({ address, family, port }: AddressInfo, isSecure: boolean): string {
  const host = family === 'IPv6' ? `[${address}]` : address
  return `${isSecure ? 'https' : 'http'}://${host}:${port}`
}
