import { readOptions } from '../../core/base/options.ts'
import { RoundRobin } from '../../core/base/round-robin.ts'
import type { MessageHandler, ReplicationTransport } from '../../core/contract/replication-transport.ts'
import { MAX_CONTENT_BYTES } from './envelope.ts'
import { isPort, type WorkerPort } from './port.ts'
import { PortPeer } from './port-peer.ts'

export interface WorkerTransportOptions {
  /**
   * The ports to all other sides, by name. A port is one end of a `MessageChannel` (of `node:worker_threads` or of the web) whose other end
   * is passed to `workerTransport` on the other side, or the `parentPort` of a worker. The application may post other messages on the
   * ports, and it closes them.
   */
  readonly peers: Readonly<Record<string, WorkerPort>>
}

/**
 * Carries replication messages over message ports.
 *
 * An address is the name of a peer. `request` rejects immediately if there is no such peer or if the peer has no listener. If the other
 * side has not started to receive yet, the message waits in the port.
 *
 * `listen` handles the messages of all ports. Other clusters send messages to the `address`, so it must be the name of this side in their
 * `peers`. An empty address becomes `worker`. If several listeners are registered, they take turns. Messages and answers are copied and
 * then transferred; other messages are ignored. A port keeps its thread alive while a listener is registered or a request is pending.
 *
 * @throws TypeError if `peers` is invalid.
 */
export function workerTransport(options: WorkerTransportOptions): ReplicationTransport {
  const { peers: ports } = readOptions('workerTransport', options, { peers: 1 })
  if (typeof ports !== 'object' || ports === null) throw new TypeError('peers: must be an object that maps names to ports')
  const handlers = new RoundRobin<MessageHandler>()
  const peers = new Map<string, PortPeer>()
  for (const [name, port] of Object.entries(ports)) {
    if (name === '' || !isPort(port)) throw new TypeError('peers: every name must have a MessagePort')
    peers.set(name, new PortPeer(name, port, () => handlers.next()))
  }

  const tellPeers = (): void => {
    for (const peer of peers.values()) peer.setListening(handlers.size > 0)
  }

  return {
    async listen(address, handler) {
      if (typeof address !== 'string') throw new TypeError('address: must be a string')
      if (typeof handler !== 'function') throw new TypeError('handler: must be a function')
      const leave = handlers.add(handler)
      tellPeers()
      return {
        address: address || 'worker',
        async close() {
          leave()
          tellPeers()
        },
      }
    },
    async request(address, bytes, signal) {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes: must be a Uint8Array')
      signal.throwIfAborted()
      if (bytes.length > MAX_CONTENT_BYTES) throw new Error(`the message has more than ${MAX_CONTENT_BYTES} bytes`)
      const peer = peers.get(address)
      if (!peer) throw new Error(`no peer is named ${address}`)
      return peer.request(bytes, signal)
    },
  }
}
