/** POST sys/leases/renew[/:lease_id] and sys/renew[/:lease_id], as in Vault. */
import { renewStoredLease as renew } from '../../core/access/lease/renew-lease.ts'
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

/** In responses to calls by path, the members of the lease are at the top level, and there is no member `data`. */
const wire = (leased: Leased) => leased

const COMMON = { kind: 'write', verb: 'POST', runsInNamespaceOf: 'lease', returns: LEASED, wire, run } as const

/** @throws KernelError 400 if the lease does not exist, has expired, is not renewable, or belongs to a token. */
export const renewLease = operation({
  ...COMMON,
  path: '/leases/renew',
  aliasPaths: ['/renew'],
  summary:
    'Renews the lease of a secret. The new lifetime begins now and may be longer or shorter than the old one. Knowing the lease id is enough to renew it. Tokens are renewed by `kernel.tokens`.',
  fields: { lease_id: LEASE_ID, increment: INCREMENT },
})

const byPath = { lease_id: LEASE_PATH, increment: INCREMENT }

export const renewByPath = operation({
  ...COMMON,
  path: '/leases/renew/+lease_id',
  aliasPaths: ['/renew/+lease_id'],
  summary: 'Renews the lease that the path names.',
  fields: byPath,
})

export const renewOld = operation({
  ...COMMON,
  path: '/renew',
  aliasPaths: ['/leases/renew'],
  summary: 'The former path of leases/renew.',
  fields: { lease_id: LEASE_ID, increment: INCREMENT },
})

export const renewOldByPath = operation({
  ...COMMON,
  path: '/renew/+lease_id',
  aliasPaths: ['/leases/renew/+lease_id'],
  summary: 'The former path of leases/renew.',
  fields: byPath,
})
