/** Renews or shortens the lease of a secret, by Vault's rules. */
import { invalid, notFound } from '../../base/errors.ts'
import { type Leased, leaseTtl } from '../../contract/lease-terms.ts'
import { effectiveTtl } from '../../contract/mount-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { replaceLease } from './end-lease.ts'
import { isTokenLease, LEASE_RECORD, type SecretLease } from './lease.ts'
import { isLeaseValid, liveToken } from './lease-validity.ts'
import { callLeaseHandler, leaseId, reportLease } from './revoke-lease.ts'

/**
 * @param increment Requested seconds from now; 0 means the engine's TTL, or the mount's default if the engine has none.
 * @throws KernelError 400 if the lease does not exist, is invalid or cannot be renewed.
 */
export function renewStoredLease(tx: Tx, key: string, increment: number): Leased {
  const lease = renewable(tx, key)
  const mount = TOPOLOGY.of(tx).mounts.byId(lease.mount)
  if (!mount) throw notFound('lease expired', 400)
  const now = callLeaseHandler(tx, mount, key, lease, (handler, at, held) => handler.renew(at, held, increment))
  const terms = { ttl: now?.ttl ?? lease.ttl, max_ttl: now?.max_ttl ?? lease.max_ttl }
  const { ttl, warnings } = leaseTtl({ ...lease, increment, terms, now: tx.now, mount: effectiveTtl(mount.record) })
  for (const warning of warnings) tx.warn(warning)
  const expires = tx.now + ttl * 1000
  replaceLease(tx, key, lease, { ...lease, ...terms, expires, due: expires, renewed: tx.now })
  reportLease(tx, 'lease.renewed', key, lease)
  return { lease_id: leaseId(key, tx.call.namespace), lease_duration: ttl, renewable: true }
}

function renewable(tx: Tx, key: string): SecretLease {
  const lease = tx.get(LEASE_RECORD, key)
  if (!lease) throw notFound('lease not found', 400)
  if (isTokenLease(lease)) {
    if (!liveToken(tx, lease.token)) throw notFound('lease not found', 400)
    throw invalid('tokens cannot be renewed through this endpoint')
  }
  if (lease.attempts > 0 || lease.revokeErr)
    throw invalid('lease_id: an attempt to revoke the lease failed and will be repeated, so it cannot be renewed')
  if (!isLeaseValid(tx, key, lease)) throw notFound('lease expired', 400)
  if (!lease.renewable) throw invalid('lease is not renewable')
  return lease
}
