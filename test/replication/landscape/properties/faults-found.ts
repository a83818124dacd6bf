/** A check finds any single change of stored records or tree hashes, and nothing if nothing was changed. */
import type { Kernel } from '../../../../src/kernel.ts'
import type { ReplicationKindName } from '../../../../src/sys/replication/state/replication-kind.ts'
import { centersOf } from '../../simulation/centers.ts'
import type { Site } from '../../simulation/site.ts'
import type { Landscape } from '../landscape.ts'
import { broken } from './broken.ts'

/** Whether a check of a cluster finds anything. */
export async function finds(kernel: Kernel): Promise<boolean> {
  const { dr } = kernel.replication
  const isMirror = (await dr.readStatus()).mode === 'secondary'
  const { merkle_corruption_report: report, details } = await (isMirror ? dr : kernel.replication).merkleCheck()
  const trees = Object.values(report.corrupted_tree_map)
  const inTree = trees.some((tree) => tree.corrupted_subtree_root || tree.corrupted_index_tuples_map !== null)
  return report.corrupted_root || inTree || (details ?? []).length > 0
}

/** A kind of set in which the cluster has a role. */
export const checkedKind = (world: Landscape, site: Site): ReplicationKindName => {
  const kind = world.places.get(site)?.kind ?? world.kindsOf(site)[0]
  if (kind === undefined) throw new Error(`${site.name} is in no set`)
  return kind
}

export async function faultsFound(world: Landscape): Promise<void> {
  const site = world.dice.pick(world.sites)
  const [node] = site.live
  if (!node?.kernel) return
  const kind = checkedKind(world, site)
  const { tree, sends } = centersOf(node)[kind].host.kind
  if (await world.settle(finds(node.kernel))) throw broken('faultsFound', `${site.name}: a fault that nobody made`)
  const stored = (await Promise.all([tree, ...sends].map((prefix) => site.memory.scan(prefix)))).flat()
  const { key, value } = world.dice.pick(stored)
  const at = world.dice.int(0, value.length - 1)
  world.record(`${site.name}: byte ${at} of ${key} is flipped`)
  const changed = value.map((byte, n) => (n === at ? byte ^ 1 : byte))
  await site.memory.commit([{ op: 'put', key, value: changed }], 'fault')
  // A kernel that cannot read its mounts answers no requests, which also counts as found.
  const found = await world.settle(finds(node.kernel).catch(() => true))
  if (!found) throw broken('faultsFound', `${site.name}: nobody finds that byte ${at} of ${key} is flipped`)
}
