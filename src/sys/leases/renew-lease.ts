/** POST sys/leases/renew[/:lease_id] and sys/renew[/:lease_id] (source: behaviour of the originals). */
import { renewLease as renew } from '../../core/access/lease/renew-lease.ts'
import { notFound } from '../../core/base/errors.ts'
import { LEASED, type Leased } from '../../core/contract/lease-terms.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { INCREMENT, keyOf, LEASE_ID, LEASE_PATH } from './lease-key.ts'

function run(tx: Tx, { lease_id, increment }: { readonly lease_id: string; readonly increment: number }): Leased {
  const key = keyOf(tx, lease_id)
  if (key === undefined) throw notFound('lease not found', 400)
  return renew(tx, key, increment)
}

/** A lease stands beside the data of an answer, and this answer has no data. */
const wire = (leased: Leased) => leased

const COMMON = { kind: 'write', verb: 'POST', follows: 'lease', returns: LEASED, wire, run } as const

export const renewLease = operation({
  ...COMMON,
  path: '/leases/renew',
  alsoAt: ['/renew'],
  summary:
    'Gives a leased secret a longer, or shorter, life from now on. Whoever knows its id may; tokens are renewed elsewhere.',
  fields: { lease_id: LEASE_ID, increment: INCREMENT },
})

const byPath = { lease_id: LEASE_PATH, increment: INCREMENT }

export const renewByPath = operation({
  ...COMMON,
  path: '/leases/renew/+lease_id',
  alsoAt: ['/renew/+lease_id'],
  summary: 'Renews the lease that the path names.',
  fields: byPath,
})

export const renewOld = operation({
  ...COMMON,
  path: '/renew',
  alsoAt: ['/leases/renew'],
  summary: 'The old path of leases/renew.',
  fields: { lease_id: LEASE_ID, increment: INCREMENT },
})

export const renewOldByPath = operation({
  ...COMMON,
  path: '/renew/+lease_id',
  alsoAt: ['/leases/renew/+lease_id'],
  summary: 'The old path of leases/renew.',
  fields: byPath,
})
