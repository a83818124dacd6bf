/**
 * Ends the lease of a secret in the records: refused at once and due to be revoked.
 */
import type { Tx } from '../../contract/tx.ts'
import { storedMount } from '../../mount/stored-mount.ts'
import {
  endedLease,
  IRREVOCABLE_LEASES,
  isTokenLease,
  LEASE,
  lastPart,
  MOUNT_LEASES,
  type SecretLease,
  TOKEN_LEASES,
} from './lease.ts'

/** Items of the lane `lease`: a lease, an ending, or a mount that waits for its last lease. */
export const LEASE_ITEM = 'id/'

export const CUTOFF_ITEM = 'ending/'

export const MOUNT_ITEM = 'mount/'

/** A mount that another cluster removes. */
export const SHARED_ITEM = 'shared-mount/'

/** Moves the moment at which a lease is revoked. */
export const scheduleLease = (tx: Tx, key: string, from: number | undefined, to: number | undefined): void =>
  tx.due('lease', LEASE_ITEM + key, { from, to })

export function replaceLease(tx: Tx, key: string, before: SecretLease, after: SecretLease): void {
  tx.put(LEASE, key, after)
  scheduleLease(tx, key, before.due, after.due)
  if (after.state === 'irrevocable' && before.state !== 'irrevocable') tx.put(IRREVOCABLE_LEASES, key, {})
}

/** Refuses a lease from this commit on and has its engine revoke it. Does nothing where there is none. */
export function endLease(tx: Tx, key: string, force = false): void {
  const lease = tx.get(LEASE, key)
  if (lease && !isTokenLease(lease)) replaceLease(tx, key, lease, endedLease(lease, tx.now, force))
}

/** A mount that is being removed goes with its last lease. The limit exceeds the leases ever revoked at the same time. */
const MAX_LAST_LEASES = 64

/** Removes all records of a lease that the engine has revoked. */
export function removeLease(tx: Tx, key: string, lease: SecretLease): void {
  const name = lastPart(key)
  tx.delete(LEASE, key)
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
