/** Marks leases as ended. An ended lease is invalid immediately, and its revocation is due. */
import type { Tx } from '../../contract/tx.ts'
import { storedMount } from '../../mount/stored-mount.ts'
import {
  endedLease,
  IRREVOCABLE_LEASES,
  isTokenLease,
  LEASE_RECORD,
  lastPart,
  MOUNT_LEASES,
  type SecretLease,
  TOKEN_LEASES,
} from './lease.ts'

/**
 * Prefixes of the ids of due items (scheduled background work) in the lane `lease`: for leases, for cutoffs, and for mounts that are
 * removed after their last lease.
 */
export const LEASE_ITEM = 'id/'

export const CUTOFF_ITEM = 'ending/'

export const MOUNT_ITEM = 'mount/'

/** The prefix of items for mounts that the primary removes. For such an item, this cluster only ends its own leases below the mount. */
export const SHARED_ITEM = 'shared-mount/'

/** Changes the time at which a lease is revoked. */
export const scheduleLease = (tx: Tx, key: string, from: number | undefined, to: number | undefined): void =>
  tx.due('lease', LEASE_ITEM + key, { from, to })

export function replaceLease(tx: Tx, key: string, before: SecretLease, after: SecretLease): void {
  tx.put(LEASE_RECORD, key, after)
  scheduleLease(tx, key, before.due, after.due)
  if (after.state === 'irrevocable' && before.state !== 'irrevocable') tx.put(IRREVOCABLE_LEASES, key, {})
}

/** Makes a lease invalid from this commit on and schedules its revocation. Does nothing if the lease does not exist. */
export function endLease(tx: Tx, key: string, force = false): void {
  const lease = tx.get(LEASE_RECORD, key)
  if (lease && !isTokenLease(lease)) replaceLease(tx, key, lease, endedLease(lease, tx.now, force))
}

/**
 * If a mount that is being removed has fewer leases than this, each removal of a lease schedules the removal of the mount. Must be greater
 * than the number of concurrent removals: they do not see each other, so possibly none of them finds that its lease was the last one.
 */
const MAX_LAST_LEASES = 64

/** Removes all records of a lease that its engine has revoked. */
export function removeLease(tx: Tx, key: string, lease: SecretLease): void {
  const name = lastPart(key)
  tx.delete(LEASE_RECORD, key)
  tx.delete(MOUNT_LEASES, `${lease.mount}/${name}`)
  if (lease.owner !== '') tx.delete(TOKEN_LEASES, `${lease.owner}/${name}`)
  if (lease.state === 'irrevocable') tx.delete(IRREVOCABLE_LEASES, key)
  scheduleLease(tx, key, lease.due, undefined)
  if (
    storedMount(tx, lease.mount)?.ending &&
    tx.listAbandoned(MOUNT_LEASES, `${lease.mount}/`, MAX_LAST_LEASES).length < MAX_LAST_LEASES
  )
    tx.due('lease', MOUNT_ITEM + lease.mount, { to: tx.now })
}
