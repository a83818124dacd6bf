/**
 * Without force there are never two primaries of a set, and with it never two of one epoch. Whoever has heard of a later epoch is none any more.
 */
import type { Node } from '../../simulation/site.ts'
import type { Violation } from '../../simulation/verdict.ts'
import { centersOf } from '../centers.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from './broken.ts'

type Message = Readonly<Record<string, unknown>>

/** Names of clusters by the epoch that they write in, from the beginning of a schedule. */
const writers = new WeakMap<Landscape, Map<string, string>>()

/** As stored, whatever the processes have heard of it. */
export async function onePrimary(world: Landscape): Promise<void> {
  const known = writers.get(world) ?? new Map<string, string>()
  writers.set(world, known)
  const primaries = new Map<string, string>()
  for (const site of world.sites) {
    const [node] = site.live
    if (!node?.insides || node.storage?.dead) continue
    const role = await world.settle(node.insides.host.store.commits.loadRole()).catch(() => undefined)
    if (!role) continue
    for (const [name, center] of Object.entries(centersOf(node))) {
      const { mode, epoch, origin } = center.host.kind.partOf(role)
      if (mode !== 'primary') continue
      const writer = known.get(origin)
      if (writer !== undefined && writer !== site.name)
        throw broken('onePrimary', `${writer} and ${site.name} both write in epoch ${epoch} (${origin}) for ${name}`)
      known.set(origin, site.name)
      const set = (await world.settle(center.membership.current()).catch(() => undefined))?.relation.set
      if (set === undefined || !world.isSure) continue
      const other = primaries.get(set)
      if (other !== undefined) throw broken('onePrimary', `${other} and ${site.name} are primaries for ${name}`)
      primaries.set(set, site.name)
    }
  }
}

/** An answer of a primary whose epoch is older than what it was told of. */
export function overtakenBy({ name }: Node, message: Message, answer: Message): Violation | undefined {
  if (message['kind'] !== 'hello' || answer['mode'] !== 'primary') return undefined
  const history = answer['history'] as readonly { readonly epoch: number }[]
  const epoch = history.at(-1)?.epoch ?? 0
  if (epoch >= Number(message['max_epoch'])) return undefined
  return broken(
    'onePrimary',
    `${name} tells of epoch ${message['max_epoch']}, and who hears it goes on as the primary of ${epoch}`,
  )
}
