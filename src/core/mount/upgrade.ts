/** Upgrades a mount to a later version of its engine. */
import type { MountRecord } from '../contract/mount-record.ts'
import type { Tx } from '../contract/tx.ts'

/** The id of the due item, in the mount's keyspace, in which the engine converts its records in commits of bounded size. */
export const UPGRADE = 'upgrade'

/**
 * Called in the commit that tunes a mount to the next version: returns the new mount record. From this commit on the mount behaves as that
 * version, even while old records remain.
 */
export function upgradedMount(tx: Tx, record: MountRecord, options: Readonly<Record<string, string>>): MountRecord {
  tx.due('housekeeping', UPGRADE, { to: tx.now, keyspace: record.uuid })
  return { ...record, options, upgraded: tx.now }
}
