/** GET sys/leases and sys/leases/count, as in Vault: leases whose engine failed to revoke them. */
import { IRREVOCABLE_LEASES, isTokenLease, LEASE_RECORD, pathOf, type SecretLease } from '../../core/access/lease/lease.ts'
import { invalid } from '../../core/base/errors.ts'
import { namespaceSuffix } from '../../core/contract/namespace.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { loadAllInGroups } from '../../core/transaction/load-all.ts'

const TYPE = f.word<'irrevocable'>('Must be `irrevocable`.').needed('')

function checkType(type: string): void {
  if (type !== 'irrevocable') throw invalid("type: must be 'irrevocable'")
}

export interface Stuck {
  /** The lease id. */
  readonly lease_id: string
  /** The accessor of the lease's mount. */
  readonly mount_id: string
  /** The engine's error message. */
  readonly error: string
}

function stuck(tx: Tx, limit?: number): readonly Stuck[] {
  const { namespace } = tx.call
  const topology = TOPOLOGY.of(tx)
  const prefix = `${namespace.uuid}/`
  const keys = tx.list(IRREVOCABLE_LEASES, limit === undefined ? { prefix } : { prefix, limit }).map((name) => prefix + name)
  const leases = loadAllInGroups(tx, 'leases', keys, (key) => tx.get(LEASE_RECORD, key))
  return keys.flatMap((key, at) => {
    const lease = leases[at]
    if (!lease || isTokenLease(lease)) return []
    const { mount, revokeErr } = lease satisfies SecretLease
    const lease_id = pathOf(key) + namespaceSuffix(namespace)
    return [{ lease_id, mount_id: topology.holder(mount)?.record.accessor ?? '', error: revokeErr }]
  })
}

/** @throws KernelError 400 if `type` is not `irrevocable`. */
export const countLeases = operation({
  kind: 'read',
  verb: 'GET',
  path: '/leases/count',
  summary: 'Returns the number of leases in the namespace that could not be revoked.',
  fields: { type: TYPE },
  returns: {
    lease_count: f.int('The number of leases that could not be revoked.'),
    counts: f.json<Readonly<Record<string, number>>>('The number of these leases per mount, by the accessor of the mount.'),
  },
  run: (tx, { type }) => {
    checkType(type)
    const found = stuck(tx)
    const counts = new Map<string, number>()
    for (const { mount_id } of found) counts.set(mount_id, (counts.get(mount_id) ?? 0) + 1)
    return { lease_count: found.length, counts: Object.fromEntries(counts) }
  },
})

const DEFAULT_LIMIT = 10_000

/** @throws KernelError 400 if `type` is not `irrevocable`, or if `limit` is neither `none` nor a positive whole number. */
export const listIrrevocable = operation({
  kind: 'read',
  verb: 'GET',
  path: '/leases',
  sudo: true,
  summary: 'Lists the leases in the namespace that could not be revoked, with the error messages of their engines.',
  fields: {
    type: TYPE,
    limit: f
      .wordOrInt<'none'>(`The maximum number of leases to list, or \`none\` for no limit. Default: ${DEFAULT_LIMIT}.`)
      .default(''),
  },
  returns: {
    lease_count: f.int('The number of listed leases.'),
    leases: f.json<readonly Stuck[]>(
      'The leases in byte order, each with the accessor of its mount and the error of its engine.',
      {
        type: 'array',
      },
    ),
  },
  run: (tx, { type, limit }) => {
    checkType(type)
    const leases = stuck(tx, limitOf(limit))
    return { lease_count: leases.length, leases }
  },
})

function limitOf(given: string): number | undefined {
  if (given === '') return DEFAULT_LIMIT
  if (given === 'none') return undefined
  if (!/^[1-9]\d{0,8}$/.test(given)) throw invalid("limit: must be 'none' or a positive integer")
  return Number(given)
}
