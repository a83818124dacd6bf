/**
 * Removing key records for good: of a ring that is deleted or replaced or never came to be, and of versions that are trimmed.
 */
import type { Tx } from '../../core/contract/tx.ts'
import { counterId } from '../../core/transaction/counter.ts'
import { ENCRYPTIONS } from './encryptions.ts'
import { completedOwner, MATERIAL, type Ring } from './ring.ts'

/** Versions whose records are removed per commit: two addresses and a counter each, below what any storage takes. */
const VERSIONS_PER_COMMIT = 32

/** All key records of a ring that is gone. */
export function dropKeys(tx: Tx, ring: Ring): void {
  forgetKeys(tx, ring)
  wipeVersions(tx, ring.id, ring.latest_version, leastOf(ring))
}

/** {@link dropKeys} as housekeeping alone, for a commit that has much to write already. */
export function dropKeysLater(tx: Tx, ring: Ring): void {
  forgetKeys(tx, ring)
  tx.due('housekeeping', wipeAll(ring), { to: tx.now })
}

/** All key records of a new ring. They may come in several commits, and go where the last of these does not come. */
export const storeKeys = (tx: Tx, ring: Ring, materials: ReadonlyMap<number, Uint8Array>): void =>
  tx.putSecrets(MATERIAL, ring.id, materials, 'housekeeping', wipeAll(ring))

const leastOf = (ring: Ring): number => Math.max(1, ring.min_available_version)
const wipeAll = (ring: Ring): string => `${ring.id}/${ring.latest_version}/${leastOf(ring)}`

/** The key records of versions from `least` on and below `next`, which the ring no longer has. */
export function dropVersions(tx: Tx, ring: Ring, least: number, next: number): void {
  forgetKeys(tx, ring)
  wipeVersions(tx, ring.id, next - 1, Math.max(1, least))
}

/** After the commit nobody who comes later finds keys of this ring in the cache. */
export function forgetKeys(tx: Tx, ring: Ring): void {
  tx.forget(ring.id)
  tx.forget(completedOwner(ring.id))
}

/** What one commit does not reach is due at once as housekeeping, under `<ring id>/<next version>/<least version>`. */
function wipeVersions(tx: Tx, ringId: string, latest: number, least: number): void {
  const rest = Math.max(least - 1, latest - VERSIONS_PER_COMMIT)
  for (let version = latest; version > rest; version--) {
    tx.deleteSecret(MATERIAL, ringId, version)
    tx.deleteSecret(MATERIAL, completedOwner(ringId), version)
    tx.delete(ENCRYPTIONS.record, counterId(ringId, version))
  }
  if (rest >= least) tx.due('housekeeping', `${ringId}/${rest}/${least}`, { to: tx.now })
}

/** One item of housekeeping. */
export function wipeDue(tx: Tx, id: string): void {
  const [ringId = '', latest, least = '1'] = id.split('/')
  wipeVersions(tx, ringId, Number(latest), Number(least))
}
