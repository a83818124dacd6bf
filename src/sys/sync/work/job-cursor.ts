/** Stores the progress of jobs that need several commits. */
import type { Tx } from '../../../core/contract/tx.ts'
import { itemOf } from '../items.ts'
import { JOB_CURSOR, type JobCursor } from '../records.ts'

const STRENGTH: Readonly<Record<JobCursor['mode'], number>> = { failed: 0, all: 1, end: 2 }

/**
 * Starts a job over all associations of a destination. A job in progress starts again, with the stronger of its mode and `mode`. The
 * strongest mode is `end`, then comes `all`, then `failed`.
 */
export function scheduleDestinationJob(tx: Tx, destination: string, mode: JobCursor['mode']): void {
  const item = itemOf('destination', destination)
  const known = tx.get(JOB_CURSOR, item)
  const strongest = known && STRENGTH[known.mode] > STRENGTH[mode] ? known.mode : mode
  putJobCursor(tx, item, { after: '', mode: strongest, due: tx.now })
}

export function putJobCursor(tx: Tx, item: string, walk: JobCursor): void {
  const known = tx.get(JOB_CURSOR, item)
  tx.put(JOB_CURSOR, item, walk)
  tx.due('sync', item, { from: known?.due, to: walk.due })
}

export function dropJobCursor(tx: Tx, item: string): void {
  const known = tx.get(JOB_CURSOR, item)
  if (!known) return
  tx.delete(JOB_CURSOR, item)
  tx.due('sync', item, { from: known.due })
}
