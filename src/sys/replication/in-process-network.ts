import { PendingRequests } from '../../core/base/pending-requests.ts'
import { RoundRobin } from '../../core/base/round-robin.ts'
import {
  MAX_REPLICATION_MESSAGE_BYTES,
  type MessageHandler,
  type ReplicationTransport,
} from '../../core/contract/replication-transport.ts'

/**
 * Creates a network inside this process: all kernels that use it can reach each other.
 *
 * An address is any string; for an empty string, the network chooses an address. If several kernels listen at one address, they receive
 * messages in turn. Messages and answers are copied. If a handler throws, the request fails with an error that does not reveal the handler's
 * error.
 */
export function inProcessNetwork(): ReplicationTransport {
  const listenersByAddress = new Map<string, RoundRobin<MessageHandler>>()
  const awaited = new PendingRequests<Uint8Array>()
  let chosen = 0

  const chooseAddress = (): string => {
    let address: string
    do address = `in-process-${++chosen}`
    while (listenersByAddress.has(address))
    return address
  }

  return {
    async listen(asked, handler) {
      if (typeof asked !== 'string') throw new TypeError('address: must be a string')
      if (typeof handler !== 'function') throw new TypeError('handler: must be a function')
      const address = asked || chooseAddress()
      const handlers = listenersByAddress.get(address) ?? new RoundRobin()
      listenersByAddress.set(address, handlers)
      const leave = handlers.add(handler)
      return {
        address,
        async close() {
          leave()
          // Do not delete the entry of a new listener, which may have replaced this entry meanwhile.
          if (handlers.size === 0 && listenersByAddress.get(address) === handlers) listenersByAddress.delete(address)
        },
      }
    },
    async request(address, bytes, signal) {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes: must be a Uint8Array')
      signal.throwIfAborted()
      if (bytes.length > MAX_REPLICATION_MESSAGE_BYTES)
        throw new Error(`the message has more than ${MAX_REPLICATION_MESSAGE_BYTES} bytes`)
      const handler = listenersByAddress.get(address)?.next()
      if (!handler) throw new Error(`no kernel listens at ${address}`)
      return awaited.send(signal, (id) => {
        answerOf(handler, new Uint8Array(bytes)).then(
          (answer) => awaited.resolve(id, answer),
          () => awaited.reject(id, new Error(`${address} did not answer`)),
        )
      })
    },
  }
}

/** Calls the handler asynchronously, after `request` has returned, as any other transport does. */
async function answerOf(handler: MessageHandler, message: Uint8Array): Promise<Uint8Array> {
  await undefined
  const answer: unknown = await handler(message)
  if (!(answer instanceof Uint8Array) || answer.length > MAX_REPLICATION_MESSAGE_BYTES)
    throw new Error('the answer is invalid or too long')
  return new Uint8Array(answer)
}
