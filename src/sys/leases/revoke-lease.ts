/** POST sys/leases/revoke[/:lease_id] and sys/revoke[/:lease_id], as in Vault. */
import { leasesOf } from '../../core/access/lease/lease-service.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { WireReply } from '../../core/contract/wire-reply.ts'
import { f } from '../../core/field/fields.ts'
import { keyOf, LEASE_ID, LEASE_PATH, leaseKeyspace, SYNC } from './lease-key.ts'

/** The response to a request that did not wait for the revocation. */
export const QUEUED = {
  queued: f.bool('True if the lease is invalid but its engine has not revoked it yet; otherwise absent.').optional(),
}
export const queuedWire = (): WireReply => ({ status: 202, empty: true })
export const queued = (sync: boolean): { readonly queued: true } | undefined => (sync ? undefined : { queued: true })

function run(
  tx: Tx,
  { lease_id, sync }: { readonly lease_id: string; readonly sync: boolean },
): { readonly queued: true } | undefined {
  const key = keyOf(tx, lease_id)
  if (key !== undefined) {
    const keyspace = leaseKeyspace(tx)
    tx.once('revoke', () => leasesOf(tx).revoke(keyspace, key, { sync, force: false }))
  }
  return queued(sync)
}

const COMMON = { kind: 'write', verb: 'POST', runsInNamespaceOf: 'lease', returns: QUEUED, wire: queuedWire, run } as const

/**
 * @throws KernelError 400 if no lease id is given.
 * @throws KernelError 405 if the engine that created the lease does not support revocation.
 * @throws KernelError 502 if the engine failed to revoke the lease. The lease is invalid anyway, and background work retries the
 *   revocation.
 */
export const revokeLease = operation({
  ...COMMON,
  path: '/leases/revoke',
  aliasPaths: ['/revoke'],
  summary:
    'Revokes a lease; the lease of a token revokes the token and everything that it created. An unknown lease is no error. The lease is invalid immediately. If the engine fails to revoke it, background work retries.',
  fields: { lease_id: LEASE_ID, sync: SYNC },
})

export const revokeByPath = operation({
  ...COMMON,
  path: '/leases/revoke/+lease_id',
  aliasPaths: ['/revoke/+lease_id'],
  summary: 'Revokes the lease that the path names.',
  fields: { lease_id: LEASE_PATH, sync: SYNC },
})

export const revokeOld = operation({
  ...COMMON,
  path: '/revoke',
  aliasPaths: ['/leases/revoke'],
  summary: 'The former path of leases/revoke.',
  fields: { lease_id: LEASE_ID, sync: SYNC },
})

export const revokeOldByPath = operation({
  ...COMMON,
  path: '/revoke/+lease_id',
  aliasPaths: ['/leases/revoke/+lease_id'],
  summary: 'The former path of leases/revoke.',
  fields: { lease_id: LEASE_PATH, sync: SYNC },
})
