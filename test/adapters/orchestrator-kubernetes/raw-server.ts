/**
 * Servers that say what no HTTP server would, byte by byte.
 */
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

export interface RawServer extends AsyncDisposable {
  readonly url: string
  /** How many connections there were. */
  readonly connections: number
  /** The highest number of connections at a time. */
  readonly mostConnections: number
  /** How often something came that begins a request. */
  readonly requests: number
  /** Ends all connections now, as a server that restarts does. */
  drop(): void
}

/** @param serve What happens when a request has begun; `nth` counts them over all connections, from 1. */
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

/** A whole answer, which authenticates nobody. */
export const WHOLE = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${SUCCESS.length}\r\n\r\n${SUCCESS}`
