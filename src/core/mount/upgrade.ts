/**
 * A mount that goes on under a later version of its engine.
 */
import type { MountRecord } from '../contract/mount-record.ts'
import type { Tx } from '../contract/tx.ts'

/** The id of the job in which the engine brings what it kept into the new form, in commits of bounded size; its place is the mount's. */
export const UPGRADE = 'upgrade'

/**
 * In the commit that tunes: the record of a mount whose options ask for the next version from now on. The mount serves as that version
 * from this commit on, whatever is left in the old form.
 */
export function upgradedMount(tx: Tx, record: MountRecord, options: Readonly<Record<string, string>>): MountRecord {
  tx.due('housekeeping', UPGRADE, { to: tx.now, place: record.uuid })
  return { ...record, options, upgraded: tx.now }
}
