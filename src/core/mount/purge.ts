/**
 * Clears away the records of a removed mount, in commits of bounded size.
 */
import type { Tx } from '../contract/tx.ts'
import { MOST_OPS } from '../storage/most-ops.ts'
import type { Transaction } from '../transaction/transaction.ts'

/** The id of the job; its place is the mount's. */
export const PURGE = 'purge'

/** Records per commit, beside the job's own writes. */
const PER_COMMIT = MOST_OPS - 20

/** Called in the commit that removes a mount. */
export const schedulePurge = (tx: Tx, mount: string): void => tx.due('housekeeping', PURGE, { to: tx.now, place: mount })

/** One step: removes the next records and schedules itself again while there are more. */
export function purgePlace(tx: Transaction): void {
  const keys = tx.remains(PER_COMMIT)
  for (const key of keys) tx.wipeKey(key)
  if (keys.length === PER_COMMIT) tx.due('housekeeping', PURGE, { to: tx.now })
}
