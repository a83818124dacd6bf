/**
 * Due work for leases: their expiry and later revocation attempts, endings, and mounts that wait for their last lease.
 */
import { MOUNT } from '../../contract/mount-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { schedulePurge } from '../../mount/purge.ts'
import { clearEnding } from './clear-ending.ts'
import { ENDING_ITEM, LEASE_ITEM, MOUNT_ITEM, scheduleLease } from './end-lease.ts'
import { HELD, isTokenLease, LEASE } from './lease.ts'
import { revokeLease } from './revoke-lease.ts'

/** Runs one due item of the lane. */
export function runLeaseWork(tx: Tx, item: string): void {
  const rest = item.slice(item.indexOf('/') + 1)
  if (item.startsWith(LEASE_ITEM)) expire(tx, rest)
  else if (item.startsWith(ENDING_ITEM)) clearEnding(tx, Number(rest))
  else if (item.startsWith(MOUNT_ITEM)) releaseMount(tx, rest)
}

function expire(tx: Tx, key: string): void {
  const lease = tx.get(LEASE, key)
  if (!lease || isTokenLease(lease)) return
  // The clock was set back after the lease was found due and says that it lives: the entry, which this run removes, is needed
  // again.
  if (lease.due > tx.now) scheduleLease(tx, key, undefined, lease.due)
  else revokeLease(tx, key, lease)
}

/** Removes a mount when no lease needs its engine any more; every lease that is removed triggers this check. */
function releaseMount(tx: Tx, uuid: string): void {
  if (!tx.get(MOUNT, uuid)?.ending || tx.leftovers(HELD, `${uuid}/`, 1).length > 0) return
  tx.delete(MOUNT, uuid)
  schedulePurge(tx, uuid)
}
