/** Deletes the records of a removed mount, in commits of bounded size. */
import { LANES } from '../contract/lane.ts'
import type { Tx } from '../contract/tx.ts'
import { MAX_COMMIT_OPS } from '../storage/max-commit-ops.ts'
import type { Transaction } from '../transaction/transaction.ts'

/** The id of the due item. The item is in the mount's keyspace. */
export const PURGE = 'purge'

/** A commit also needs space for the writes of the job and for deleting the mount's claims. */
const MAX_RECORDS_PER_COMMIT = MAX_COMMIT_OPS - 20 - 2 * Object.keys(LANES).length

/** Schedules the deletion. Called in the commit that removes a mount. */
export const schedulePurge = (tx: Tx, mount: string): void => tx.due('housekeeping', PURGE, { to: tx.now, keyspace: mount })

/**
 * Deletes the next records, and the due items after all other records. Schedules itself again until everything is deleted.
 * @returns `more` if there is more to delete, undefined after the last step.
 */
export function purgeKeyspace(tx: Transaction): 'more' | undefined {
  const records = tx.listOrphanedKeys(MAX_RECORDS_PER_COMMIT)
  const keys = records.length > 0 ? records : tx.listOrphanedDueKeys(MAX_RECORDS_PER_COMMIT)
  for (const key of keys) tx.deleteKey(key)
  if (records.length === 0 && keys.length < MAX_RECORDS_PER_COMMIT) return undefined
  tx.due('housekeeping', PURGE, { to: tx.now })
  return 'more'
}
