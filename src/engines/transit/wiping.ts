/** Deletes the key records of keys that are deleted, replaced or never stored, and of trimmed versions. */
import type { Tx } from '../../core/contract/tx.ts'
import { ENCRYPTIONS } from './encryptions.ts'
import { completedMaterialOwner, MATERIAL, type Ring } from './ring.ts'

/**
 * The number of versions whose records are deleted per commit. Each version has two key records and two counter records, so the total is
 * below the commit limit of every storage.
 */
const VERSIONS_PER_COMMIT = 24

/** Deletes all key records of a deleted key. */
export function dropKeys(tx: Tx, ring: Ring): void {
  forgetKeys(tx, ring)
  wipeVersions(tx, ring.id, ring.latest_version, leastVersion(ring))
}

/** Like {@link dropKeys}, but deletes all records as housekeeping, for a commit that already writes many records. */
export function dropKeysLater(tx: Tx, ring: Ring): void {
  forgetKeys(tx, ring)
  tx.due('housekeeping', wipeAllId(ring), { to: tx.now })
}

/**
 * Stores all key records of a new key, if necessary in several commits. If the process stops before the last commit, housekeeping deletes
 * the records.
 */
export const storeKeys = (tx: Tx, ring: Ring, materials: ReadonlyMap<number, Uint8Array>): void =>
  tx.putSecrets(MATERIAL, ring.id, materials, 'housekeeping', wipeAllId(ring))

const leastVersion = (ring: Ring): number => Math.max(1, ring.min_available_version)
const wipeAllId = (ring: Ring): string => `${ring.id}/${ring.latest_version}/${leastVersion(ring)}`

/** Deletes the key records of the versions from `least` to `next` - 1, which are no longer in the ring. */
export function dropVersions(tx: Tx, ring: Ring, least: number, next: number): void {
  forgetKeys(tx, ring)
  wipeVersions(tx, ring.id, next - 1, Math.max(1, least))
}

/** Removes the ring's key bytes, of all versions, from the cache after the commit. */
function forgetKeys(tx: Tx, ring: Ring): void {
  tx.forget(ring.id)
  tx.forget(completedMaterialOwner(ring.id))
}

/**
 * Deletes the newest versions in this commit and schedules the rest as housekeeping, with the id `<ring id>/<latest version>/<least
 * version>`.
 */
function wipeVersions(tx: Tx, ringId: string, latest: number, least: number): void {
  const rest = Math.max(least - 1, latest - VERSIONS_PER_COMMIT)
  for (let version = latest; version > rest; version--) {
    tx.deleteSecret(MATERIAL, ringId, version)
    tx.deleteSecret(MATERIAL, completedMaterialOwner(ringId), version)
    tx.deleteCounter(ENCRYPTIONS, ringId, version)
  }
  if (rest >= least) tx.due('housekeeping', `${ringId}/${rest}/${least}`, { to: tx.now })
}

/**
 * Deletes a range of key versions, as many as fit into one commit, and schedules the deletion of the rest.
 * @param id The id of the scheduled work: `<ring>/<highest version>/<lowest version>`.
 */
export function wipeDue(tx: Tx, id: string): void {
  const [ringId = '', latest, least = '1'] = id.split('/')
  wipeVersions(tx, ringId, Number(latest), Number(least))
}
