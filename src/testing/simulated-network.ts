import type { Clock } from '../core/base/clock.ts'
import { readOptions } from '../core/base/options.ts'
import { PendingRequests } from '../core/base/pending-requests.ts'
import { RoundRobin } from '../core/base/round-robin.ts'
import {
  MAX_REPLICATION_MESSAGE_BYTES,
  type MessageHandler,
  type ReplicationTransport,
} from '../core/contract/replication-transport.ts'
import { type TravelOptions, travelTimes } from './travel-times.ts'

export interface SimulatedNetworkOptions extends TravelOptions {
  /** The clock whose `sleep` delays messages. With `fakeClock()`, delayed messages arrive when the test advances the clock. */
  readonly clock: Pick<Clock, 'sleep'>
}

export interface SimulatedNetwork {
  /**
   * Returns the transport of the machine with this name. The transport can listen at any address. If the address is empty, the network
   * assigns one: the name and a number. If several listeners have the same address, they receive the requests to this address alternately.
   */
  at(name: string): ReplicationTransport
  /**
   * Separates the machines in `some` from those in `others`, in both directions, until {@link heal} is called. Messages between them are
   * lost without an error, including messages in flight. A later call adds to the partitions of earlier calls. A machine in neither list
   * can still reach all machines.
   */
  partition(some: readonly string[], others: readonly string[]): void
  /** Ends all partitions. The network does not deliver messages that were lost before. */
  heal(): void
}

interface Listener {
  readonly machine: string
  readonly handler: MessageHandler
  open: boolean
}

/**
 * Returns a simulated network between clusters. It delays, loses, duplicates and reorders messages; a clock and a seed determine when and
 * which. A request that is aborted rejects immediately, and its messages are dropped. If no machine listens at the address, or if the
 * handler throws, the network sends a failure instead of an answer, which rejects the request. The network delays and loses failures like
 * answers. If the failure is lost, the request stays pending until it is aborted.
 * @throws TypeError for invalid options.
 */
export function simulatedNetwork(given: SimulatedNetworkOptions): SimulatedNetwork {
  const options = readOptions('simulatedNetwork', given, { clock: 1, seed: 1, delayMs: 1, loss: 1, duplicate: 1, reorder: 1 })
  const { clock } = options
  if (typeof clock?.sleep !== 'function') throw new TypeError('clock: must have a method sleep')
  const fate = travelTimes(options)
  const places = new Map<string, RoundRobin<Listener>>()
  const awaited = new PendingRequests<Uint8Array>()
  let cuts: (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = []
  let chosen = 0

  const isCut = (a: string, b: string): boolean =>
    cuts.some(([some, others]) => (some.has(a) && others.has(b)) || (some.has(b) && others.has(a)))

  const arrives = async (from: string, to: string, ms: number, stop: AbortSignal): Promise<boolean> => {
    if (isCut(from, to)) return false
    await clock.sleep(ms, stop)
    return !isCut(from, to)
  }

  const transportAt = (machine: string): ReplicationTransport => ({
    async listen(asked, handler) {
      if (typeof asked !== 'string') throw new TypeError('address: must be a string')
      if (typeof handler !== 'function') throw new TypeError('handler: must be a function')
      const address = asked || `${machine}:${++chosen}`
      const listeners = places.get(address) ?? new RoundRobin()
      places.set(address, listeners)
      const listener: Listener = { machine, handler, open: true }
      const leave = listeners.add(listener)
      return {
        address,
        async close() {
          listener.open = false
          leave()
        },
      }
    },
    async request(address, bytes, signal) {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('bytes: must be a Uint8Array')
      signal.throwIfAborted()
      if (bytes.length > MAX_REPLICATION_MESSAGE_BYTES)
        throw new Error(`the message has more than ${MAX_REPLICATION_MESSAGE_BYTES} bytes`)
      const listener = places.get(address)?.next()
      const copy = new Uint8Array(bytes)
      // Draw all random numbers now, so that their order does not depend on how long handlers take.
      const [there, ...back] = [fate(), fate(), fate()]
      const stop = new AbortController()
      const exchange = async (id: number, ms: number, times: readonly number[]): Promise<void> => {
        const target = listener?.machine ?? machine
        if (!(await arrives(machine, target, ms, stop.signal))) return
        const settle = await outcomeAt(address, listener, new Uint8Array(copy))
        await Promise.all(
          times.map(async (time) => {
            if (await arrives(target, machine, time, stop.signal)) settle(awaited, id)
          }),
        )
      }
      const answer = awaited.send(signal, (id) => {
        for (const [nth, ms] of there!.entries()) exchange(id, ms, back[nth]!).catch(() => {})
      })
      answer.catch(() => {
        if (signal.aborted) stop.abort()
      })
      return answer
    },
  })

  return {
    at(name) {
      if (typeof name !== 'string' || name === '') throw new TypeError('name: must be a non-empty string')
      return transportAt(name)
    },
    partition(some, others) {
      if (!Array.isArray(some) || !Array.isArray(others)) throw new TypeError('partition: must get two lists of machine names')
      cuts.push([new Set(some), new Set(others)])
    },
    heal() {
      cuts = []
    },
  }
}

type Settle = (awaited: PendingRequests<Uint8Array>, id: number) => void

/** Calls the listener's handler. Returns a function that resolves or rejects the request with the handler's result. */
async function outcomeAt(address: string, listener: Listener | undefined, message: Uint8Array): Promise<Settle> {
  const refused =
    (why: string): Settle =>
    (awaited, id) =>
      awaited.reject(id, new Error(why))
  if (!listener?.open) return refused(`no machine listens at ${address}`)
  try {
    const answer: unknown = await listener.handler(message)
    if (!(answer instanceof Uint8Array) || answer.length > MAX_REPLICATION_MESSAGE_BYTES)
      return refused(`${address} did not answer`)
    const copy = new Uint8Array(answer)
    return (awaited, id) => awaited.resolve(id, copy)
  } catch {
    return refused(`${address} did not answer`)
  }
}
