/**
 * One end of a connection at the byte level, which can violate the protocol.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export const GREETING = Buffer.from([0x9f, ...Buffer.from('srepl\n'), 1])

/** Written after the description of the protocol, independent of the code. */
export function frame(kind: number, id: number, content: Uint8Array, announced = content.length): Buffer {
  const head = Buffer.alloc(9)
  head.writeUInt32BE(announced, 0)
  head.writeUInt32BE(id, 4)
  head[8] = kind
  return Buffer.concat([head, content])
}

export interface RawEnd {
  readonly socket: Socket
  /** All received bytes. */
  readonly received: () => Buffer
  /** Resolves when at least this many bytes were received. */
  waitForBytes(bytes: number): Promise<Buffer>
  /** Resolves when the other side has closed the connection. */
  readonly ended: Promise<void>
}

function rawEnd(socket: Socket): RawEnd {
  let received = Buffer.alloc(0)
  const waiting = new Set<() => void>()
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    for (const look of waiting) look()
  })
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => {
    socket.on('end', resolve)
    socket.on('close', () => resolve())
  })
  return {
    socket,
    received: () => received,
    waitForBytes: (bytes) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < bytes) return
          waiting.delete(look)
          resolve(received)
        }
        waiting.add(look)
        look()
      }),
    ended,
  }
}

/** A connection to a listener. */
export function dial(address: string): RawEnd {
  const [host, port] = address.split(':')
  return rawEnd(connect({ host: host!, port: Number(port), allowHalfOpen: true }))
}

export interface RawListener extends AsyncDisposable {
  readonly address: string
  readonly connections: readonly RawEnd[]
}

/** A listener that calls `serve` for each connection. */
export async function rawListener(serve: (end: RawEnd) => void): Promise<RawListener> {
  const connections: RawEnd[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const end = rawEnd(socket)
    connections.push(end)
    serve(end)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    async [Symbol.asyncDispose]() {
      for (const { socket } of connections) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A listener that answers every message with its first byte. */
export const answering = (): Promise<RawListener> =>
  rawListener((end) => {
    end.socket.write(GREETING)
    end.socket.on('data', (chunk) => {
      const at = chunk.indexOf(GREETING) === 0 ? GREETING.length : 0
      if (chunk.length > at) end.socket.write(frame(1, chunk.readUInt32BE(at + 4), chunk.subarray(at + 9, at + 10)))
    })
  })
