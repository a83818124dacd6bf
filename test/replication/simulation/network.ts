/** The network of a schedule, which is unreliable until all failures end. */

import type { ReplicationTransport } from '../../../src/core/contract/replication-transport.ts'
import { type FakeClock, simulatedNetwork } from '../../../src/testing/index.ts'
import { Dice } from './dice.ts'

export interface Network {
  at(name: string): ReplicationTransport
  partition(some: readonly string[], others: readonly string[]): void
  /** Ends all partitions. */
  heal(): void
  /** Whether no message is lost, repeated or delayed from now on. */
  calm: boolean
  /** Milliseconds that each message takes to arrive. */
  latency: number
}

export function network(clock: FakeClock, seed: string, dice: Dice): Network {
  const bad = dice.chance(0.6)
  const stormy = simulatedNetwork({
    clock,
    seed,
    ...(bad ? { delayMs: [0, 40], loss: dice.pick([0, 0.02, 0.1]), duplicate: dice.pick([0, 0.2]), reorder: 0.1 } : {}),
  })
  const fair = simulatedNetwork({ clock, seed })
  const past = repeating(fair, seed)
  const whole: Network = {
    calm: false,
    latency: 0,
    at(name) {
      const [first, second] = [stormy.at(name), fair.at(name)]
      return {
        async listen(address, handler) {
          const both = [await first.listen(address, handler), await second.listen(address, handler)]
          return { address, close: async () => void (await Promise.all(both.map((listener) => listener.close()))) }
        },
        async request(address, bytes, signal) {
          if (whole.latency > 0) await clock.sleep(whole.latency, signal)
          if (whole.calm) return second.request(address, bytes, signal)
          past.sent(name, address, bytes)
          return past.answered(address, await first.request(address, bytes, signal))
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

/** Replays messages of other sessions and epochs: requests to the current listener, or answers to other requests. */
function repeating(net: Pick<Network, 'at'>, seed: string) {
  // A separate random source, so that other choices do not depend on the number of messages.
  const dice = new Dice(`${seed} replays`)
  const often = dice.chance(0.5) ? 0.1 : 0
  const questions: (readonly [from: string, address: string, bytes: Uint8Array])[] = []
  const answers = new Map<string, Uint8Array[]>()
  return {
    sent(from: string, address: string, bytes: Uint8Array): void {
      if (often === 0) return
      if (questions.length > 0 && dice.chance(often)) {
        const [who, to, what] = dice.pick(questions)
        // The result of a replayed request is ignored.
        net
          .at(who)
          .request(to, what, new AbortController().signal)
          .catch(() => {})
      }
      if (questions.length === MAX_KEPT) questions[dice.int(0, MAX_KEPT - 1)] = [from, address, bytes.slice()]
      else questions.push([from, address, bytes.slice()])
    },
    answered(address: string, answer: Uint8Array): Uint8Array {
      if (often === 0) return answer
      const known = answers.get(address) ?? []
      answers.set(address, known)
      if (known.length > 0 && dice.chance(often / 5)) return dice.pick(known).slice()
      if (known.length === MAX_KEPT) known[dice.int(0, MAX_KEPT - 1)] = answer.slice()
      else known.push(answer.slice())
      return answer
    },
  }
}

/** When this many messages are stored, a new one replaces a random one, so that old ones can remain. */
const MAX_KEPT = 100
