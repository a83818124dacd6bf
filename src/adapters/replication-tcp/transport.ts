import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import { formatHostAndPort, parseHostAndPort } from './address.ts'
import { ClientConnection } from './client-connection.ts'
import { MAX_CONTENT_BYTES } from './frame.ts'
import { listenAt } from './listener.ts'
import { type TcpTransportOptions, validateOptions } from './options.ts'

/**
 * Carries replication messages over TCP. The transport adds no encryption, because the messages are encrypted already.
 *
 * An address is `host:port`, with IPv6 addresses in brackets. `listen` takes port 0 for any free port and an empty address for
 * `127.0.0.1:0`. The result of `listen` has the host that was passed, or `advertise`, and the actual port. Listening on an address that is
 * in use fails.
 *
 * All requests to one address share a connection. It is opened for the first request, and opened again after it was lost. A listener keeps
 * the process alive until it is closed; a connection does so only while a request is pending.
 *
 * @throws TypeError if an option is invalid.
 */
export function tcpTransport(options: TcpTransportOptions = {}): ReplicationTransport {
  const checked = validateOptions(options)
  const peers = new Map<string, ClientConnection>()

  const peerAt = (address: string): ClientConnection => {
    const target = parseHostAndPort(address)
    const key = formatHostAndPort(target)
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
      return listenAt(parseHostAndPort(address === '' ? '127.0.0.1:0' : address), handler, checked)
    },
    async request(address, bytes, signal) {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes: must be a Uint8Array')
      signal.throwIfAborted()
      if (bytes.length > MAX_CONTENT_BYTES) throw new Error(`the message has more than ${MAX_CONTENT_BYTES} bytes`)
      return peerAt(address).request(bytes, signal)
    },
  }
}
