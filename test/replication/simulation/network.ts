/** The network of a schedule: bad, until it is healed. */

import type { ReplicationTransport } from '../../../src/core/contract/replication-transport.ts'
import { type FakeClock, simulatedNetwork } from '../../../src/testing/index.ts'
import type { Dice } from './dice.ts'

export interface Network {
  at(name: string): ReplicationTransport
  partition(some: readonly string[], others: readonly string[]): void
  /** Ends partitions. */
  heal(): void
  /** Whether from now on nothing is lost, repeated or late. */
  calm: boolean
  /** Milliseconds that each message takes to arrive. */
  latency: number
}

export function network(clock: FakeClock, seed: string, dice: Dice): Network {
  const bad = dice.chance(0.6)
  const stormy = simulatedNetwork({
    clock,
    seed,
    ...(bad ? { delay: [0, 40], loss: dice.pick([0, 0.02, 0.1]), duplicate: dice.pick([0, 0.2]), reorder: 0.1 } : {}),
  })
  const fair = simulatedNetwork({ clock, seed })
  const whole: Network = {
    calm: false,
    latency: 0,
    at(name) {
      const [first, second] = [stormy.at(name), fair.at(name)]
      return {
        async listen(address, handler) {
          const both = [await first.listen(address, handler), await second.listen(address, handler)]
          return { address, close: async () => void (await Promise.all(both.map((one) => one.close()))) }
        },
        async request(address, bytes, signal) {
          if (whole.latency > 0) await clock.sleep(whole.latency, signal)
          return (whole.calm ? second : first).request(address, bytes, signal)
        },
      }
    },
    partition(some, others) {
      for (const each of [stormy, fair]) each.partition(some, others)
    },
    heal() {
      for (const each of [stormy, fair]) each.heal()
    },
  }
  return whole
}
