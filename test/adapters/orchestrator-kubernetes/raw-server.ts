/**
 * Servers that send arbitrary bytes instead of valid HTTP.
 */
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

export interface RawServer extends AsyncDisposable {
  readonly url: string
  /** The number of accepted connections. */
  readonly connections: number
  /** The highest number of concurrent connections. */
  readonly mostConnections: number
  /** The number of received requests. */
  readonly requests: number
  /** Closes all connections immediately, as a restart does. */
  drop(): void
}

/** @param serve Called at the beginning of a request; `nth` counts the requests of all connections, from 1. */
export async function rawServer(serve: (socket: Socket, nth: number) => void): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const counts = { connections: 0, mostConnections: 0, requests: 0 }
  const server = createServer((socket) => {
    counts.connections++
    sockets.add(socket)
    counts.mostConnections = Math.max(counts.mostConnections, sockets.size)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      if (chunk.subarray(0, 5).toString() === 'POST ') serve(socket, ++counts.requests)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const drop = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return counts.connections
    },
    get mostConnections() {
      return counts.mostConnections
    },
    get requests() {
      return counts.requests
    },
    drop,
    async [Symbol.asyncDispose]() {
      drop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const SUCCESS = '{"kind":"Status","status":"Success"}'

/** A complete answer that does not authenticate. */
export const WHOLE = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${SUCCESS.length}\r\n\r\n${SUCCESS}`
