/** POST sys/leases/revoke[/:lease_id] and sys/revoke[/:lease_id] (source: behaviour of the originals). */
import { LEASES } from '../../core/access/lease/runner.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { WireReply } from '../../core/contract/wire-reply.ts'
import { f } from '../../core/field/fields.ts'
import { keyOf, LEASE_ID, LEASE_PATH, leasePlace, SYNC } from './lease-key.ts'

/** The answer to a request that did not wait for the revocation. */
export const QUEUED = {
  queued: f.bool('True where the engine has yet to revoke what is refused already. Absent otherwise.').optional(),
}
export const queuedWire = (): WireReply => ({ status: 202, empty: true })
export const queued = (sync: boolean): { readonly queued: true } | undefined => (sync ? undefined : { queued: true })

function run(
  tx: Tx,
  { lease_id, sync }: { readonly lease_id: string; readonly sync: boolean },
): { readonly queued: true } | undefined {
  const key = keyOf(tx, lease_id)
  if (key !== undefined) {
    const place = leasePlace(tx)
    tx.once('revoke', () => LEASES.of(tx).revoke(place, key, { sync, force: false }))
  }
  return queued(sync)
}

const COMMON = { kind: 'write', verb: 'POST', follows: 'lease', returns: QUEUED, wire: queuedWire, run } as const

export const revokeLease = operation({
  ...COMMON,
  path: '/leases/revoke',
  alsoAt: ['/revoke'],
  summary:
    'Ends a lease; of a token, the token with all it made. Nothing happens where there is none. It is refused from then on, even if the engine fails, which is tried again.',
  fields: { lease_id: LEASE_ID, sync: SYNC },
})

export const revokeByPath = operation({
  ...COMMON,
  path: '/leases/revoke/+lease_id',
  alsoAt: ['/revoke/+lease_id'],
  summary: 'Ends the lease that the path names.',
  fields: { lease_id: LEASE_PATH, sync: SYNC },
})

export const revokeOld = operation({
  ...COMMON,
  path: '/revoke',
  alsoAt: ['/leases/revoke'],
  summary: 'The old path of leases/revoke.',
  fields: { lease_id: LEASE_ID, sync: SYNC },
})

export const revokeOldByPath = operation({
  ...COMMON,
  path: '/revoke/+lease_id',
  alsoAt: ['/leases/revoke/+lease_id'],
  summary: 'The old path of leases/revoke.',
  fields: { lease_id: LEASE_PATH, sync: SYNC },
})
