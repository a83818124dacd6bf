import { type AddressInfo, createServer } from 'node:net'
import type { MessageHandler, TransportListener } from '../../core/contract/replication-transport.ts'
import { formatHostAndPort, type HostAndPort } from './address.ts'
import { Connections } from './connections.ts'
import { MAX_CONTENT_BYTES } from './frame.ts'
import { MemoryLimit } from './memory-limit.ts'
import type { TcpSettings } from './options.ts'
import { ServerConnection } from './server-connection.ts'

/**
 * The memory limit of a listener. It covers the messages that are being received or answered and the answers that have not been written
 * yet.
 */
const LISTENER_MEMORY_BYTES = 32 * MAX_CONTENT_BYTES

/** @throws Error from the operating system if the address cannot be used. */
export async function listenAt(
  { host, port }: HostAndPort,
  handler: MessageHandler,
  options: TcpSettings,
): Promise<TransportListener> {
  const connections = new Connections(options, new MemoryLimit(LISTENER_MEMORY_BYTES))
  const server = createServer({ noDelay: true }, (socket) => {
    if (connections.makeRoomFor(socket.remoteAddress ?? ''))
      connections.add(new ServerConnection(socket, handler, connections, options))
    else socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const sweep = setInterval(() => connections.sweep(performance.now()), Math.max(1, options.strangerMs / 2)).unref()
  // An error while accepting one connection must not stop the server.
  server.on('error', () => {})
  const { port: real } = server.address() as AddressInfo
  let closing: Promise<void> | undefined
  return {
    address: formatHostAndPort({ host: options.advertise ?? host, port: real }),
    close() {
      clearInterval(sweep)
      closing ??= new Promise<void>((resolve) => {
        server.close(() => resolve())
        connections.endAll('the listener was closed')
      })
      return closing
    },
  }
}
