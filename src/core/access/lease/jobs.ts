/**
 * What is due for leases: their expiry and the attempts after it, endings, mounts that wait for their last lease.
 */
import { MOUNT } from '../../contract/mount-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { schedulePurge } from '../../mount/purge.ts'
import { clearEnding } from './clear-ending.ts'
import { ENDING_ITEM, LEASE_ITEM, MOUNT_ITEM, scheduleLease } from './end-lease.ts'
import { HELD, isTokenLease, LEASE } from './lease.ts'
import { revokeLease } from './revoke-lease.ts'

/** One due item of the lane. */
export function runLeaseWork(tx: Tx, item: string): void {
  const rest = item.slice(item.indexOf('/') + 1)
  if (item.startsWith(LEASE_ITEM)) expire(tx, rest)
  else if (item.startsWith(ENDING_ITEM)) clearEnding(tx, Number(rest))
  else if (item.startsWith(MOUNT_ITEM)) releaseMount(tx, rest)
}

function expire(tx: Tx, key: string): void {
  const lease = tx.get(LEASE, key)
  if (!lease || isTokenLease(lease)) return
  // Set back since it was found due, the clock says that the lease lives: its entry, which goes with this run, is needed again.
  if (lease.due > tx.now) scheduleLease(tx, key, undefined, lease.due)
  else revokeLease(tx, key, lease)
}

/** A mount on its way out goes when no lease needs its engine any more; each lease that goes asks for this. */
function releaseMount(tx: Tx, uuid: string): void {
  if (!tx.get(MOUNT, uuid)?.ending || tx.leftovers(HELD, `${uuid}/`, 1).length > 0) return
  tx.delete(MOUNT, uuid)
  schedulePurge(tx, uuid)
}
