/** The connections of a server, which must end before the server is closed. */
import type { Server } from 'node:http'
import type { Http2SecureServer, Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { NodeResponse } from '../adapters/http/node-request.ts'

export type AnyServer = Server | Http2SecureServer

/** The time that requests in flight have to finish when the server stops, in milliseconds. */
const STOP_TIMEOUT_MS = 5_000

export class OpenConnections {
  readonly #server: AnyServer
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Set<Http2Session>()
  #inFlight = 0
  #isStopping = false

  constructor(server: AnyServer) {
    this.#server = server
    server.on('connection', (socket: Socket) => track(this.#sockets, socket))
    server.on('session', (session: Http2Session) => track(this.#sessions, session))
    server.on('request', (_request: unknown, response: NodeResponse) => {
      this.#inFlight++
      response.once('close', () => {
        this.#inFlight--
        if (this.#isStopping && this.#inFlight === 0) setImmediate(() => this.#cut())
      })
    })
  }

  /** Stops listening. Resolves when the requests in flight are answered, or after five seconds, and all connections are closed. */
  close(): Promise<void> {
    this.#isStopping = true
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#cut(), STOP_TIMEOUT_MS)
      this.#server.close(() => {
        clearTimeout(timer)
        resolve()
      })
      for (const session of this.#sessions) session.close()
      if (this.#inFlight === 0) this.#cut()
    })
  }

  #cut(): void {
    for (const session of this.#sessions) session.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }
}

function track<T extends Socket | Http2Session>(all: Set<T>, one: T): void {
  all.add(one)
  ;(one as Socket).once('close', () => all.delete(one))
}
