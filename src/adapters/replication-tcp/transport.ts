/**
 * Replication over TCP.
 */
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import { formatAddress, parseAddress } from './address.ts'
import { ClientConnection } from './client-connection.ts'
import { MAX_CONTENT_BYTES } from './frame.ts'
import { listenAt } from './listener.ts'
import { type TcpTransportOptions, validateOptions } from './options.ts'

/**
 * Carries messages over TCP, without encryption of its own: they have theirs. An address is `host:port`, with IPv6 addresses in
 * brackets. `listen` takes port 0 for any free port and an empty address for `127.0.0.1:0`, and returns the host as it was asked for,
 * or `advertise`, with the real port. An address that another socket has refuses the second to listen.
 *
 * There is one connection per address for all requests. It is made with the first one, and again after it was lost. A listener keeps
 * its process alive until it is closed; a connection does so only while a request is under way on it.
 * @throws TypeError for options that are none.
 */
export function tcpTransport(options: TcpTransportOptions = {}): ReplicationTransport {
  const checked = validateOptions(options)
  const peers = new Map<string, ClientConnection>()

  const peerAt = (address: string): ClientConnection => {
    const target = parseAddress(address)
    const key = formatAddress(target)
    const known = peers.get(key)
    if (known) return known
    const peer = new ClientConnection(target, checked, () => {
      if (peers.get(key) === peer) peers.delete(key)
    })
    peers.set(key, peer)
    return peer
  }

  return {
    async listen(address, handler) {
      if (typeof handler !== 'function') throw new TypeError('handler: must be a function')
      return listenAt(parseAddress(address === '' ? '127.0.0.1:0' : address), handler, checked)
    },
    async request(address, bytes, signal) {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes: must be a Uint8Array')
      signal.throwIfAborted()
      if (bytes.length > MAX_CONTENT_BYTES) throw new Error(`the message has more than ${MAX_CONTENT_BYTES} bytes`)
      return peerAt(address).request(bytes, signal)
    },
  }
}
