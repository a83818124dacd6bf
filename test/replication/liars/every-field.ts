/** Replaces every member of every message by hostile values: in the requests of a secondary, and in the answers of a primary. */
import { expect } from 'vitest'
import { maxEpochAt, maxIndexAt } from '../../../src/sys/replication/state/bounds.ts'
import type { Kind } from '../failovers/kinds.ts'
import { expectDocumented } from './documented.ts'
import { everyMessage } from './every-message.ts'
import { liesIn } from './mutations.ts'
import { LiarSet, type Message } from './set.ts'

/** An unexpected error in the handler, which only messages without a valid type may cause. */
const SURPRISE = 'it failed'

/** Forwarded writes assert nothing about the set. The primary authorizes them like any request. */
const REQUESTS = ['forward', 'entity']

/** @param each The number of values for each member. */
export async function liesOfSecondary(kind: Kind, each?: number): Promise<void> {
  const set = await LiarSet.make(kind)
  try {
    const genuine = await everyMessage(set)
    expect([...genuine.keys()].sort()).toEqual(set.handledTypes().sort())
    await expectDocumented([...genuine].flatMap(([type, message]) => (REQUESTS.includes(type) ? [] : [message])))
    for (const message of genuine.values())
      for (const { text, message: lie } of liesIn(message, each)) {
        const answer = await set.exchangeMessage(lie)
        expect(answer, text).not.toMatchObject({ why: SURPRISE })
      }
    await set.expectUnmoved(1)
    await set.expectPeersBounded()
    await set.expectFailover(1)
  } finally {
    await set.close()
  }
}

/** Changes the answers to the honest secondary. @param each The number of values for each member. */
export async function liesOfPrimary(kind: Kind, each?: number): Promise<void> {
  const set = await LiarSet.make(kind)
  try {
    const { honest, primary } = set
    const { follower, host, membership } = set.center(honest)
    const { ask } = follower
    const answers = await genuineAnswers(set)
    await expectDocumented([...answers.values()])
    for (const [type, genuine] of answers)
      for (const { text, message: lie } of liesIn(genuine, each)) {
        let wasChanged = false
        follower.ask = async (message, ...rest) => {
          const answer = await ask.call(follower, message, ...rest)
          if (wasChanged || message['kind'] !== type) return answer
          wasChanged = true
          return lie
        }
        await set.mustCompare(honest)
        await honest.kernel.tick()
        const { value } = await host.kind.replicaProgress.read(host.store)
        const { relation } = await membership.member()
        const now = host.clock.now()
        expect(value?.applied, text).toBeLessThanOrEqual(maxIndexAt(now))
        expect(value?.served?.index ?? 0, text).toBeLessThanOrEqual(maxIndexAt(now))
        expect(relation.max_epoch, text).toBeLessThanOrEqual(maxEpochAt(now))
      }
    follower.ask = ask
    await primary.kernel.kv.writeSecret({ path: 'behind', data: { a: 1 } })
    await honest.kernel.tick()
    await set.expectTakenOver()
  } finally {
    await set.close()
  }
}

/** One answer of each type, from a Merkle sync and from streaming. */
async function genuineAnswers(set: LiarSet): Promise<ReadonlyMap<string, Message>> {
  const { honest, primary } = set
  const { follower } = set.center(honest)
  const { ask } = follower
  const found = new Map<string, Message>()
  follower.ask = async (message, ...rest) => {
    const answer = await ask.call(follower, message, ...rest)
    const type = String(message['kind'])
    if (!found.has(type) || type === 'fetch') found.set(type, answer)
    return answer
  }
  await set.mustCompare(honest)
  await primary.kernel.kv.writeSecret({ path: 'compared', data: { a: 1 } })
  await honest.kernel.tick()
  await primary.kernel.kv.writeSecret({ path: 'streamed', data: { a: 1 } })
  await honest.kernel.tick()
  follower.ask = ask
  return found
}
