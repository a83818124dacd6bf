/** Decides whether a lease is valid. The decision is computed at every use, so it does not depend on jobs that have not run yet. */
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { type Ancestor, ancestors } from '../token/ancestry.ts'
import { isCutOff } from './cutoff.ts'
import { isTokenLease, type LeaseRecord, pathOf, type SecretLease } from './lease.ts'

/**
 * A lease is invalid after any of these events: it expired, the token that requested it became invalid, its mount was removed or moved, or
 * the lease or a path above it was revoked.
 */
export function isLeaseValid(tx: Tx, key: string, lease: SecretLease): boolean {
  const { state, expires, owner, mount, era } = lease
  if (state !== 'live' || tx.now >= expires) return false
  const path = pathOf(key)
  const at = TOPOLOGY.of(tx).mounts.byId(mount)
  if (!at || !path.startsWith(at.record.path)) return false
  return !isCutOff(tx, key.slice(0, key.indexOf('/')), path, era) && ancestors(tx, owner) !== undefined
}

/** The token that a token lease refers to; undefined if the token is invalid. */
export function liveToken(tx: Tx, id: string): Ancestor | undefined {
  const found = ancestors(tx, id)?.[0]
  return found && TOPOLOGY.of(tx).mounts.byId(found.record.mount) ? found : undefined
}

export const isAnyLeaseValid = (tx: Tx, key: string, lease: LeaseRecord): boolean =>
  isTokenLease(lease) ? liveToken(tx, lease.token) !== undefined : isLeaseValid(tx, key, lease)
