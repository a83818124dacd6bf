/** Deletes the records of a removed mount, in commits of bounded size. */
import { LANES } from '../contract/lane.ts'
import type { Tx } from '../contract/tx.ts'
import { MAX_COMMIT_OPS } from '../storage/max-commit-ops.ts'
import type { Transaction } from '../transaction/transaction.ts'

/** The id of the due item (scheduled background work) that deletes a mount's records. The item is in the mount's keyspace. */
export const PURGE = 'purge'

/**
 * The maximum number of records that one commit deletes. It leaves space for the other writes of the commit: rescheduling the due item and
 * deleting the mount's claims.
 */
const MAX_RECORDS_PER_COMMIT = MAX_COMMIT_OPS - 20 - 2 * Object.keys(LANES).length

/** Schedules the deletion of a mount's records. Called in the commit that removes the mount. */
export const schedulePurge = (tx: Tx, mount: string): void => tx.due('housekeeping', PURGE, { to: tx.now, keyspace: mount })

/**
 * Deletes the next records of the mount, and after all of them the mount's due items. Schedules itself again until everything is deleted.
 * @returns `more` if more records or due items must be deleted, undefined after the last deletion.
 */
export function purgeKeyspace(tx: Transaction): 'more' | undefined {
  const records = tx.listOrphanedKeys(MAX_RECORDS_PER_COMMIT)
  const keys = records.length > 0 ? records : tx.listOrphanedDueKeys(MAX_RECORDS_PER_COMMIT)
  for (const key of keys) tx.deleteKey(key)
  if (records.length === 0 && keys.length < MAX_RECORDS_PER_COMMIT) return undefined
  tx.due('housekeeping', PURGE, { to: tx.now })
  return 'more'
}
