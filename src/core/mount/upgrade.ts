/** Upgrades a mount to a later version of its engine. */
import type { MountRecord } from '../contract/mount-record.ts'
import type { Tx } from '../contract/tx.ts'

/**
 * The id of the due item (scheduled background work) that converts the engine's records in commits of bounded size. The item is in the
 * mount's keyspace.
 */
export const UPGRADE = 'upgrade'

/**
 * Returns the record of a mount with the options of the next engine version, and schedules the conversion of its records. Called in the
 * commit that changes the mount's options. From this commit on, the mount uses the new engine version, even while some of its records still
 * have the old format.
 */
export function upgradedMount(tx: Tx, record: MountRecord, options: Readonly<Record<string, string>>): MountRecord {
  tx.due('housekeeping', UPGRADE, { to: tx.now, keyspace: record.uuid })
  return { ...record, options, upgraded: tx.now }
}
