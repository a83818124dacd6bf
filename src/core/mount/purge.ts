/** Deletes the records of a removed mount, in commits of bounded size. */
import { LANES } from '../contract/lane.ts'
import type { Tx } from '../contract/tx.ts'
import { MAX_COMMIT_OPS } from '../storage/max-commit-ops.ts'
import type { Transaction } from '../transaction/transaction.ts'

/** The id of the due item, which is in the mount's keyspace. */
export const PURGE = 'purge'

/** The rest of a commit is for the job's own writes and the mount's claims. */
const MAX_RECORDS_PER_COMMIT = MAX_COMMIT_OPS - 20 - 2 * Object.keys(LANES).length

/** Called in the commit that removes a mount. */
export const schedulePurge = (tx: Tx, mount: string): void => tx.due('housekeeping', PURGE, { to: tx.now, keyspace: mount })

/**
 * Deletes the next records, due items last, and schedules itself again until all are deleted.
 * @returns `more`, or undefined after the last step.
 */
export function purgeKeyspace(tx: Transaction): 'more' | undefined {
  const records = tx.listOrphanedKeys(MAX_RECORDS_PER_COMMIT)
  const keys = records.length > 0 ? records : tx.listOrphanedDueKeys(MAX_RECORDS_PER_COMMIT)
  for (const key of keys) tx.deleteKey(key)
  if (records.length === 0 && keys.length < MAX_RECORDS_PER_COMMIT) return undefined
  tx.due('housekeeping', PURGE, { to: tx.now })
  return 'more'
}
