/**
 * The root that a secondary should have at the position of the primary's tree.
 */
import { toHex } from '../../../core/base/identifiers.ts'
import type { Upkeep } from '../log/upkeep.ts'
import { exactFrom, type History } from '../state/history.ts'
import type { Folded } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn } from '../state/tree-store.ts'
import { isDamaged } from '../tree/check.ts'
import { rootOverAll } from '../tree/levels.ts'
import type { View } from './views.ts'

/** Null where the tree is no state of the store, or of the set, is damaged, or changed while it was read. */
export async function checkpointOf(
  host: SetHost,
  view: View,
  upkeep: Upkeep,
  history: History,
): Promise<{ readonly index: number; readonly root: string } | null> {
  const { value: folded, version } = await host.kind.folded.read(host.store)
  if (!folded || folded.entry < folded.soundFrom || folded.index < exactFrom(history)) return null
  if (!view.isPartial) return { index: folded.index, root: folded.root }
  const roots = await upkeep.roots.asOf(folded, version).catch((error: unknown) => {
    if (!isDamaged(error)) throw error
  })
  if (!roots) return null
  const root = rootOverAll(
    treeIn(host).sha256,
    [...roots].filter(([domain]) => view.has(domain)),
  )
  return (await isStill(host, folded, version)) ? { index: folded.index, root: toHex(root) } : null
}

async function isStill(host: SetHost, { index }: Folded, version: number): Promise<boolean> {
  const now = await host.kind.folded.read(host.store)
  return now.version === version && now.value?.index === index
}
