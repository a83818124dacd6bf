/** Computes the Merkle root that a secondary should have at the position of the primary's tree. */
import { toHex } from '../../../core/base/identifiers.ts'
import type { TreeMaintainer } from '../log/tree-maintainer.ts'
import { exactFrom, type History } from '../state/history.ts'
import type { TreeProgress } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn } from '../state/tree-store.ts'
import { isDamaged } from '../tree/check.ts'
import { rootOverAll } from '../tree/levels.ts'
import type { SecondaryScope } from './secondary-scopes.ts'

/** Returns null if the tree is damaged, changed while it was read, or does not correspond to the store or to the log of the set. */
export async function checkpointOf(
  host: SetHost,
  scope: SecondaryScope,
  treeMaintainer: TreeMaintainer,
  history: History,
): Promise<{ readonly index: number; readonly root: string } | null> {
  const { value: treeProgress, version } = await host.kind.treeProgress.read(host.store)
  if (!treeProgress || treeProgress.entry < treeProgress.validFrom || treeProgress.index < exactFrom(history)) return null
  if (!scope.isPartial) return { index: treeProgress.index, root: treeProgress.root }
  const roots = await treeMaintainer.roots.asOf(treeProgress, version).catch((error: unknown) => {
    if (!isDamaged(error)) throw error
  })
  if (!roots) return null
  const root = rootOverAll(
    treeIn(host).sha256,
    [...roots].filter(([domain]) => scope.includes(domain)),
  )
  return (await isUnchanged(host, treeProgress, version)) ? { index: treeProgress.index, root: toHex(root) } : null
}

async function isUnchanged(host: SetHost, { index }: TreeProgress, version: number): Promise<boolean> {
  const now = await host.kind.treeProgress.read(host.store)
  return now.version === version && now.value?.index === index
}
