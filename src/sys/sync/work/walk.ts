/**
 * Walks over the associations of a destination, as jobs, in commits of bounded size.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { itemOf } from '../items.ts'
import { WALK, type Walk } from '../records.ts'

const STRENGTH: Readonly<Record<Walk['mode'], number>> = { failed: 0, all: 1, end: 2 }

/** From the beginning, also where one is under way; a weaker walk does not take the place of a stronger one. */
export function scheduleWalk(tx: Tx, destination: string, mode: Walk['mode']): void {
  const item = itemOf('destination', destination)
  const known = tx.get(WALK, item)
  const strongest = known && STRENGTH[known.mode] > STRENGTH[mode] ? known.mode : mode
  putWalk(tx, item, { after: '', mode: strongest, due: tx.now })
}

export function putWalk(tx: Tx, item: string, walk: Walk): void {
  const known = tx.get(WALK, item)
  tx.put(WALK, item, walk)
  tx.due('sync', item, { from: known?.due, to: walk.due })
}

export function dropWalk(tx: Tx, item: string): void {
  const known = tx.get(WALK, item)
  if (!known) return
  tx.delete(WALK, item)
  tx.due('sync', item, { from: known.due })
}
