/** Upgrades a mount to a later version of its engine. */
import type { MountRecord } from '../contract/mount-record.ts'
import type { Tx } from '../contract/tx.ts'

/** The id of the due item, which is in the mount's keyspace. Its work converts the engine's records in commits of bounded size. */
export const UPGRADE = 'upgrade'

/**
 * Returns the record of a mount with the next version of its engine, and schedules the conversion. Called in the commit that tunes the
 * mount. From this commit on, the mount behaves as the new version, even while it still has records of the old version.
 */
export function upgradedMount(tx: Tx, record: MountRecord, options: Readonly<Record<string, string>>): MountRecord {
  tx.due('housekeeping', UPGRADE, { to: tx.now, keyspace: record.uuid })
  return { ...record, options, upgraded: tx.now }
}
