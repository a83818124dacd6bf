/** Scheduled background work for leases: expiry, repeated revocation, cutoffs, and mounts that are removed after their last lease. */

import { isLocal } from '../../contract/mount-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { schedulePurge } from '../../mount/purge.ts'
import { dropMount, storedMount } from '../../mount/stored-mount.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { clearCutoff } from './clear-cutoff.ts'
import { CUTOFF_ITEM, LEASE_ITEM, MOUNT_ITEM, SHARED_ITEM, scheduleLease } from './end-lease.ts'
import { isTokenLease, LEASE_RECORD, MOUNT_LEASES } from './lease.ts'
import { OTHER_CLUSTER_LEASES } from './other-clusters.ts'
import { endBelow } from './retire-mount.ts'
import { revokeStoredLease } from './revoke-lease.ts'

/** Runs one item of background work from the queue (lane) `lease`. */
export function runLeaseWork(tx: Tx, item: string): void {
  const rest = item.slice(item.indexOf('/') + 1)
  if (item.startsWith(LEASE_ITEM)) expire(tx, rest)
  else if (item.startsWith(CUTOFF_ITEM)) clearCutoff(tx, Number(rest))
  else if (item.startsWith(MOUNT_ITEM)) releaseMount(tx, rest)
  else if (item.startsWith(SHARED_ITEM)) endShared(tx, rest)
}

function expire(tx: Tx, key: string): void {
  const lease = tx.get(LEASE_RECORD, key)
  if (!lease || isTokenLease(lease)) return
  // If the lease is not due, the clock was set back. The commit removes the item from the due index, so add the item again.
  if (lease.due > tx.now) scheduleLease(tx, key, undefined, lease.due)
  else revokeStoredLease(tx, key, lease)
}

/** Ends the leases that this cluster has below a mount that the primary is removing. */
function endShared(tx: Tx, uuid: string): void {
  const record = storedMount(tx, uuid)
  const engine = TOPOLOGY.of(tx).holder(uuid)?.engine
  if (record?.ending && engine) endBelow(tx, record, engine)
}

/** The time until the next check of a mount in which other clusters still have leases. */
const CHECK_AGAIN_MS = 5000

/**
 * Removes a mount if neither this cluster nor another cluster still needs the mount's engine to revoke a lease. The removal of each of the
 * mount's last leases triggers this check. A secondary never removes replicated mounts, because the primary does.
 */
function releaseMount(tx: Tx, uuid: string): void {
  const record = storedMount(tx, uuid)
  if (!record?.ending) return
  const isHeld = tx.listAbandoned(MOUNT_LEASES, `${uuid}/`, 1).length > 0
  const elsewhere = OTHER_CLUSTER_LEASES.find(tx)
  if (isHeld || (elsewhere?.follows() && !isLocal(record))) return
  const holders = isLocal(record) ? [] : tx.once(`holders of ${uuid}`, async () => elsewhere?.holders(uuid) ?? [], 'attempt')
  if (holders.length > 0) {
    tx.due('lease', MOUNT_ITEM + uuid, { to: tx.now + CHECK_AGAIN_MS })
    return
  }
  dropMount(tx, record)
  schedulePurge(tx, uuid)
}
