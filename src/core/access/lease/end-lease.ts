/**
 * Ends the lease of a secret in the records: refused at once and due to be revoked.
 */
import type { Tx } from '../../contract/tx.ts'
import { storedMount } from '../../mount/stored-mount.ts'
import { ended, HELD, isTokenLease, LEASE, lastPart, OWNED, type SecretLease, STUCK } from './lease.ts'

/** Items of the lane `lease`: a lease, an ending, or a mount that waits for its last lease. */
export const LEASE_ITEM = 'id/'

export const ENDING_ITEM = 'ending/'

export const MOUNT_ITEM = 'mount/'

/** A mount that another cluster removes. */
export const SHARED_ITEM = 'shared-mount/'

/** Moves the moment at which a lease is revoked. */
export const scheduleLease = (tx: Tx, key: string, from: number | undefined, to: number | undefined): void =>
  tx.due('lease', LEASE_ITEM + key, { from, to })

export function replaceLease(tx: Tx, key: string, before: SecretLease, after: SecretLease): void {
  tx.put(LEASE, key, after)
  scheduleLease(tx, key, before.due, after.due)
  if (after.state === 'irrevocable' && before.state !== 'irrevocable') tx.put(STUCK, key, {})
}

/** Refuses a lease from this commit on and has its engine revoke it. Does nothing where there is none. */
export function endLease(tx: Tx, key: string, force = false): void {
  const lease = tx.get(LEASE, key)
  if (lease && !isTokenLease(lease)) replaceLease(tx, key, lease, ended(lease, tx.now, force))
}

/** A mount that is being removed goes with its last lease. The limit exceeds the leases ever revoked at the same time. */
const LAST_ONES = 64

/** Removes all records of a lease that the engine has revoked. */
export function removeLease(tx: Tx, key: string, lease: SecretLease): void {
  const name = lastPart(key)
  tx.delete(LEASE, key)
  tx.delete(HELD, `${lease.mount}/${name}`)
  if (lease.owner !== '') tx.delete(OWNED, `${lease.owner}/${name}`)
  if (lease.state === 'irrevocable') tx.delete(STUCK, key)
  scheduleLease(tx, key, lease.due, undefined)
  if (storedMount(tx, lease.mount)?.ending && tx.leftovers(HELD, `${lease.mount}/`, LAST_ONES).length < LAST_ONES)
    tx.due('lease', MOUNT_ITEM + lease.mount, { to: tx.now })
}
