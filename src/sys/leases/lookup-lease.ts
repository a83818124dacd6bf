/** POST sys/leases/lookup and LIST sys/leases/lookup/:prefix, as in Vault. */

import { isTokenLease, LEASE_RECORD, type LeaseRecord, type SecretLease } from '../../core/access/lease/lease.ts'
import { isAnyLeaseValid, isLeaseValid, liveToken } from '../../core/access/lease/lease-validity.ts'
import { rfc3339 } from '../../core/base/clock.ts'
import { notFound } from '../../core/base/errors.ts'
import { namespaceSuffix } from '../../core/contract/namespace.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { loadAll, loadAllInGroups } from '../../core/transaction/load-all.ts'
import { keyOf, LEASE_ID, withoutSlash } from './lease-key.ts'

interface Times {
  readonly issued: number
  readonly expires: number | null
  readonly renewed: number | null
  readonly renewable: boolean
}

/**
 * Returns the times of a lease that is valid or that its engine failed to revoke. In the second case the secret still exists, so the lease
 * is shown until revocation succeeds.
 */
function timesOf(tx: Tx, key: string, lease: LeaseRecord): Times | undefined {
  if (!isTokenLease(lease)) {
    const lingers = lease.state === 'ending' && lease.attempts > 0 && tx.now < lease.expires && isMounted(tx, lease)
    return lingers || isLeaseValid(tx, key, lease) ? lease : undefined
  }
  const token = liveToken(tx, lease.token)?.record
  return token && { ...token, issued: token.created }
}

const isMounted = (tx: Tx, { mount }: SecretLease): boolean => TOPOLOGY.of(tx).mounts.byId(mount) !== undefined

/** @throws KernelError 400 if the lease does not exist or has expired. */
export const lookupLease = operation({
  kind: 'read',
  verb: 'POST',
  path: '/leases/lookup',
  runsInNamespaceOf: 'lease',
  summary: 'Shows a lease.',
  fields: { lease_id: LEASE_ID },
  returns: {
    id: f.text('The lease id.'),
    issue_time: f.text('When the lease was created, in RFC 3339.'),
    expire_time: f.json<string | null>('When the lease expires, in RFC 3339; null if it does not expire.', {
      type: 'string',
      format: 'date-time',
    }),
    last_renewal: f.json<string | null>('When the lease was last renewed, in RFC 3339; null if it was never renewed.', {
      type: 'string',
      format: 'date-time',
    }),
    renewable: f.bool('Whether the lease can be renewed.'),
    ttl: f.int('The remaining seconds; 0 if the lease does not expire.'),
  },
  run: (tx, { lease_id: id }) => {
    const key = keyOf(tx, id)
    const lease = key === undefined ? undefined : tx.get(LEASE_RECORD, key)
    const times = key !== undefined && lease ? timesOf(tx, key, lease) : undefined
    if (!times) throw notFound('invalid lease', 400)
    const { issued, expires, renewed, renewable } = times
    return {
      id,
      issue_time: rfc3339(issued),
      expire_time: expires === null ? null : rfc3339(expires),
      last_renewal: renewed === null ? null : rfc3339(renewed),
      renewable,
      ttl: expires === null ? 0 : Math.floor((expires - tx.now) / 1000),
    }
  },
})

/** @throws KernelError 400 if the path is invalid. */
export const listLeases = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/leases/lookup/*prefix',
  sudo: true,
  summary: 'Lists the leases directly below a path, and the folders that contain leases.',
  fields: { prefix: f.path('The path; empty for the whole namespace.').ignoring('slashes').default('') },
  returns: {
    keys: f.json<readonly string[]>('The last parts of lease ids, and folders with a trailing slash, in byte order.', {
      type: 'array',
    }),
  },
  run: (tx, { prefix }) => {
    const { namespace } = tx.call
    const path = withoutSlash(prefix)
    const folder = path === '' ? `${namespace.uuid}/` : `${namespace.uuid}/${path}/`
    const names = tx.list(LEASE_RECORD, { prefix: folder, delimiter: '/' })
    const good = loadAllInGroups(tx, 'leases', names, (name) =>
      name.endsWith('/') ? hasGood(tx, folder + name) : keyIsGood(tx, folder + name),
    )
    const suffix = namespaceSuffix(namespace)
    return { keys: names.filter((_, at) => good[at]).map((name) => (name.endsWith('/') ? name : name + suffix)) }
  },
})

function keyIsGood(tx: Tx, key: string): boolean {
  const lease = tx.get(LEASE_RECORD, key)
  return lease !== undefined && isAnyLeaseValid(tx, key, lease)
}

/**
 * The number of leases per page of a folder. A second page is read only if all leases of the first page have expired but were not deleted
 * yet.
 */
const PAGE = 64

function hasGood(tx: Tx, folder: string): boolean {
  for (let after = ''; ; ) {
    const names = tx.list(LEASE_RECORD, { prefix: folder, limit: PAGE, ...(after === '' ? {} : { after }) })
    if (loadAll(names, (name) => keyIsGood(tx, folder + name)).some((good) => good)) return true
    after = names.at(-1) ?? ''
    if (names.length < PAGE) return false
  }
}
