/** A genuine message of each type that a primary answers, as a secondary sends it. */

import { lastOf } from '../../../src/sys/replication/state/history.ts'
import { PERFORMANCE, ticked } from '../failovers/kinds.ts'
import type { LiarSet, Message } from './set.ts'

/** By message type. */
export async function everyMessage(set: LiarSet): Promise<ReadonlyMap<string, Message>> {
  const { liar, primary, kind } = set
  const { follower, membership } = set.center(liar)
  const found = new Map<string, Message>()
  const { ask } = follower
  follower.ask = (message, ...rest) => {
    // Keep the last one, which has more content than the first.
    found.set(String(message['kind']), { ...message })
    return ask.call(follower, message, ...rest)
  }
  await set.mustCompare(liar)
  await primary.kernel.kv.writeSecret({ path: 'compared', data: { a: 1 } })
  await ticked(liar.kernel)
  await primary.kernel.kv.writeSecret({ path: 'streamed', data: { a: 1 } })
  await ticked(liar.kernel)
  if (kind === PERFORMANCE) {
    const { client_token } = await liar.kernel.tokens.createToken({ policies: ['root'] })
    await liar.kernel.as(client_token).kv.writeSecret({ path: 'forwarded', data: { a: 1 } })
    const { mount, namespace } = found.get('forward') ?? {}
    found.set('entity', { kind: 'entity', namespace, mount, alias: 'somebody', metadata: { a: 'b' } })
    found.set('filtered', { kind: 'filtered', after: '' })
  }
  follower.ask = ask
  const { relation } = await membership.member()
  const { epoch, origin } = lastOf(relation.history)
  found.set('held', { kind: 'held', origin, index: 1, view: '' })
  found.set('claim', { kind: 'claim', epoch, index: 1 })
  return found
}
