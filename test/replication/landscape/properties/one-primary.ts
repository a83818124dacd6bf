/**
 * Without force a set never has two primaries, and with force two primaries never share an epoch. A primary that learns of a later epoch
 * stops being one.
 */

import { centersOf } from '../../simulation/centers.ts'
import type { Dice } from '../../simulation/dice.ts'
import { lie } from '../../simulation/lying.ts'
import type { Node } from '../../simulation/site.ts'
import { Violation } from '../../simulation/verdict.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from './broken.ts'

type Message = Readonly<Record<string, unknown>>

/** The cluster that writes in each epoch, by the epoch's origin, during a schedule. */
const writers = new WeakMap<Landscape, Map<string, string>>()

/** Reads the stored roles, because processes may not know them yet. */
export async function onePrimary(world: Landscape): Promise<void> {
  const known = writers.get(world) ?? new Map<string, string>()
  writers.set(world, known)
  const primaries = new Map<string, string>()
  for (const site of world.sites) {
    const [node] = site.live
    if (!node?.internals || node.storage?.dead) continue
    const role = await world.settle(node.internals.host.store.commits.loadRole()).catch(() => undefined)
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

interface ToldEpoch {
  readonly epoch: number
  readonly origin: string
  readonly proof?: { readonly by: string }
}

const historyOf = (message: Message): readonly ToldEpoch[] => (message['history'] ?? []) as readonly ToldEpoch[]

/** A greeting, its sender, and its answer. */
export interface Greeting {
  readonly node: Node
  /** The id of the secondary. */
  readonly id: string
  readonly message: Message
  readonly answer: Message
}

/**
 * Reports a primary that continues although another member proved the next epoch to it. A revoked cluster and the promoted cluster itself
 * prove nothing.
 */
export function overtakenBy({ node, id, message, answer }: Greeting, revoked: ReadonlySet<string>): Violation | undefined {
  if (message['kind'] !== 'hello' || answer['mode'] !== 'primary') return undefined
  const [epochs, own] = [historyOf(message), historyOf(answer).at(-1)]
  const next = epochs[epochs.findIndex(({ origin }) => origin === own?.origin) + 1]
  const isShown = own !== undefined && epochs.some(({ origin }) => origin === own.origin)
  if (!isShown || !next || next.proof?.by === id || revoked.has(next.proof?.by ?? '')) return undefined
  return broken(
    'onePrimary',
    `${node.name} tells of epoch ${next.epoch}, and who hears it goes on as the primary of ${own.epoch}`,
  )
}

/** A secondary asserts false epochs, claims, acknowledgements and positions. */
export async function liesDeposeNobody(world: Landscape, dice: Dice): Promise<void> {
  try {
    await lie(world, dice)
  } catch (error) {
    throw error instanceof Violation ? broken('onePrimary', error.message) : error
  }
}
