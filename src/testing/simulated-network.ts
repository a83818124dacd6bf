/**
 * A network between clusters that delays, loses, repeats and reorders, by a clock and a seed.
 */

import { Awaited } from '../core/base/awaited.ts'
import type { Clock } from '../core/base/clock.ts'
import { readOptions } from '../core/base/options.ts'
import { RoundRobin } from '../core/base/round-robin.ts'
import {
  MAX_REPLICATION_MESSAGE_BYTES,
  type MessageHandler,
  type ReplicationTransport,
} from '../core/contract/replication-transport.ts'
import { type TravelOptions, travelTimes } from './travel-times.ts'

export interface SimulatedNetworkOptions extends TravelOptions {
  /** Messages travel by its `sleep`: with `fakeClock()` they arrive when it is advanced, and without a delay by themselves. */
  readonly clock: Pick<Clock, 'sleep'>
}

export interface SimulatedNetwork {
  /**
   * The transport of the machine of that name. It listens at any address; an empty one becomes the name with a number. Several may
   * listen at one address and then take turns.
   */
  at(name: string): ReplicationTransport
  /**
   * Cuts the machines named in `some` off from those named in `others`, both ways and until {@link heal}: what is sent between them and
   * what is on its way is lost in silence. Further partitions are added to it. Machines that neither list names reach everybody.
   */
  partition(some: readonly string[], others: readonly string[]): void
  /** Ends all partitions. What they dropped stays lost. */
  heal(): void
}

interface Listener {
  readonly machine: string
  readonly handler: MessageHandler
  open: boolean
}

/**
 * Stands in for the network between clusters. A request that is aborted rejects at once, and what is on its way for it is dropped.
 * Where nobody listens, or the handler throws, the request rejects after its delays, unless that news is lost.
 * @throws TypeError for options that are none.
 */
export function simulatedNetwork(given: SimulatedNetworkOptions): SimulatedNetwork {
  const options = readOptions('simulatedNetwork', given, { clock: 1, seed: 1, delayMs: 1, loss: 1, duplicate: 1, reorder: 1 })
  const { clock } = options
  if (typeof clock?.sleep !== 'function') throw new TypeError('clock: must be a clock')
  const fate = travelTimes(options)
  const places = new Map<string, RoundRobin<Listener>>()
  const awaited = new Awaited<Uint8Array>()
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
      // Drawn now, so that it does not matter how long handlers take.
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
      const answer = awaited.ask(signal, (id) => {
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
      if (typeof name !== 'string' || name === '') throw new TypeError('name: must be a string that is not empty')
      return transportAt(name)
    },
    partition(some, others) {
      if (!Array.isArray(some) || !Array.isArray(others)) throw new TypeError('partition: takes two lists of names')
      cuts.push([new Set(some), new Set(others)])
    },
    heal() {
      cuts = []
    },
  }
}

type Settle = (awaited: Awaited<Uint8Array>, id: number) => void

/** What the requester is told: the handler's answer, or that there is none. */
async function outcomeAt(address: string, listener: Listener | undefined, message: Uint8Array): Promise<Settle> {
  const refused =
    (why: string): Settle =>
    (awaited, id) =>
      awaited.reject(id, new Error(why))
  if (!listener?.open) return refused(`nobody listens at ${address}`)
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
