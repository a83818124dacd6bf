/** A secondary asserts false epochs, a claim, acknowledgements and positions. No primary may end its epoch because of that. */

import { Follower } from '../../../src/sys/replication/follow/follower.ts'
import { helloMessage } from '../../../src/sys/replication/follow/hello-message.ts'
import { publicKeyFromHex } from '../../../src/sys/replication/link.ts'
import type { SetMember } from '../../../src/sys/replication/membership.ts'
import type { ReplicationContext } from '../../../src/sys/replication/replication-context.ts'
import { epochMac, sharedEpochKey } from '../../../src/sys/replication/state/epoch-proof.ts'
import { type Epoch, lastOf } from '../../../src/sys/replication/state/history.ts'
import { centersOf } from './centers.ts'
import type { Dice } from './dice.ts'
import type { Node } from './site.ts'
import { Violation } from './verdict.ts'
import type { World } from './world.ts'

type Message = Readonly<Record<string, unknown>>

/**
 * The stored epochs in which clusters write, by cluster and kind; empty for a cluster that is not a primary. Clusters without a process are
 * left out.
 */
async function epochsOf(world: World): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { name, live } of world.sites) {
    const [node] = live
    if (!node?.internals || node.storage?.dead) continue
    const role = await world.settle(node.internals.host.store.commits.loadRole()).catch(() => undefined)
    for (const [kind, { host }] of role ? Object.entries(centersOf(node)) : []) {
      const { mode, origin } = host.kind.partOf(role as NonNullable<typeof role>)
      found.set(`${name} for ${kind}`, mode === 'primary' ? origin : '')
    }
  }
  return found
}

/** An epoch that no cluster has begun, with the best proof that this cluster can create. */
function inventedEpoch({ host }: ReplicationContext, { relation, keys }: SetMember, dice: Dice): Epoch {
  const last = lastOf(relation.history)
  const start = dice.pick([0, last.start, last.start + 5, 2 ** 40])
  const origin = dice
    .int(0, 2 ** 30)
    .toString(16)
    .padStart(32, 'e')
  const epoch = { epoch: relation.max_epoch + dice.pick([1, 1, 1, 2, 900, 2 ** 20, 2 ** 52]), origin, start }
  const { upstream } = relation
  const key = upstream && sharedEpochKey(host.env.crypto, keys.identity, publicKeyFromHex(upstream.key))
  if (!key || dice.chance(0.2)) return epoch
  const mac = epochMac(host.env.crypto, key, { kind: host.kind.name, set: relation.set }, epoch)
  return { ...epoch, proof: { by: dice.pick([upstream.id, upstream.id, upstream.id, '', 'nobody']), mac } }
}

const NOTHING_HELD = { leases: [], counts: [], counts_after: '', cluster: '' }

function lieOf(center: ReplicationContext, member: SetMember, dice: Dice): Message {
  // Leave out genuine proofs, which may end the epoch of a primary.
  const relation = { ...member.relation, history: member.relation.history.map(({ proof: _, ...epoch }) => epoch) }
  const { epoch, origin } = lastOf(relation.history)
  const index = dice.pick([0, 1, 10, 1000, 2 ** 40, 2 ** 53 - 1])
  return dice.weighted<() => Message>([
    [
      6,
      () => {
        const history = [...relation.history, inventedEpoch(center, member, dice)]
        return { ...helloMessage({ ...relation, history }, center.self), max_epoch: lastOf(history).epoch }
      },
    ],
    [2, () => helloMessage(relation, center.self, { applied: index, ...NOTHING_HELD })],
    [1, () => ({ kind: 'claim', epoch: epoch + dice.int(0, 1), index })],
    [2, () => ({ kind: 'held', origin, index, view: '' })],
  ])()
}

async function liesFrom(world: World, node: Node, dice: Dice): Promise<void> {
  for (const center of Object.values(centersOf(node))) {
    const member = await world.settle(center.membership.current()).catch(() => undefined)
    if (!member?.relation.upstream || center.membership.mode !== 'secondary') continue
    const exchange = (message: Message) =>
      Follower.prototype.ask.call(center.follower, message, new AbortController().signal).then(
        () => 'answered',
        (error: unknown) => String(error),
      )
    const before = await epochsOf(world)
    for (let count = dice.int(1, 4); count > 0; count--) {
      const lie = lieOf(center, member, dice)
      world.record(`${node.name} lies in a ${lie['kind']} (${center.host.kind.name}): ${await world.settle(exchange(lie))}`)
    }
    for (const [name, epoch] of await epochsOf(world))
      if ((before.get(name) ?? epoch) !== epoch) throw new Violation(`${name} is deposed by a lie of ${node.name}`)
  }
}

/** One process of a secondary sends false messages. */
export async function lie(world: World, dice: Dice): Promise<void> {
  const nodes = world.sites.flatMap(({ live }) => live).filter(({ storage }) => !storage?.dead)
  if (nodes.length > 0) await liesFrom(world, dice.pick(nodes), dice)
}
