/**
 * Upgrades a mount to a later version of its engine.
 */
import type { MountRecord } from '../contract/mount-record.ts'
import type { Tx } from '../contract/tx.ts'

/** The id of the job in which the engine converts its records, in commits of bounded size; its place is the mount's. */
export const UPGRADE = 'upgrade'

/**
 * Called in the commit that tunes: the record of a mount whose options now ask for the next version. The mount serves as that version
 * from this commit on, even while old records remain.
 */
export function upgradedMount(tx: Tx, record: MountRecord, options: Readonly<Record<string, string>>): MountRecord {
  tx.due('housekeeping', UPGRADE, { to: tx.now, keyspace: record.uuid })
  return { ...record, options, upgraded: tx.now }
}
