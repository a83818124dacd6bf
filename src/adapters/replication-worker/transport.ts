/**
 * Replication between threads.
 */
import { readOptions } from '../../core/base/options.ts'
import { RoundRobin } from '../../core/base/round-robin.ts'
import type { MessageHandler, ReplicationTransport } from '../../core/contract/replication-transport.ts'
import { MAX_CONTENT_BYTES } from './envelope.ts'
import { isPort, type WorkerPort } from './port.ts'
import { PortPeer } from './port-peer.ts'

export interface WorkerTransportOptions {
  /**
   * A port to every other side, by the name that it has here: one end of a `MessageChannel` of `node:worker_threads` or of the web,
   * whose other end is given to a `workerTransport` there, or a worker's `parentPort`. The application may post messages of its own on
   * them; it closes them.
   */
  readonly peers: Readonly<Record<string, WorkerPort>>
}

/**
 * Carries messages over ports. An address is the name of a peer: `request` posts to its port, and rejects at once where there is none or
 * nobody listens on the other side. A port that nobody on the other side has taken up yet keeps the message until somebody does.
 *
 * `listen` answers what arrives on all ports. Its address is only told to others, as the name that they have for this side; an empty one
 * becomes `worker`. Several that listen take turns. Messages and answers are transferred as copies, and whatever else arrives is
 * ignored. A port keeps its thread alive while somebody listens and while a request is under way.
 * @throws TypeError for peers that are none.
 */
export function workerTransport(options: WorkerTransportOptions): ReplicationTransport {
  const { peers: ports } = readOptions('workerTransport', options, { peers: 1 })
  if (typeof ports !== 'object' || ports === null) throw new TypeError('peers: must be an object of ports by name')
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
      if (!peer) throw new Error(`no peer is called ${address}`)
      return peer.request(bytes, signal)
    },
  }
}
