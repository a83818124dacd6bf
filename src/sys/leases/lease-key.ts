import { invalid } from '../../core/base/errors.ts'
import { namespaceSuffix } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import type { Mount } from '../../core/mount/mount.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import type { Keyspace } from '../../core/transaction/keyspace.ts'

export const LEASE_ID = f.text('The lease id that was returned with the secret.').needed('')

/** The lease id as part of a path. */
export const LEASE_PATH = f.path('The lease id.')

export const PREFIX = f
  .path('A path that consists of entire segments. The operation applies to all leases at this path or below it.')
  .ignoring('slashes')

export const INCREMENT = f
  .duration(
    'The requested lifetime from now. Default: the lifetime that the engine sets for its secrets, or else the default lifetime of the mount.',
  )
  .default(0)

export const SYNC = f
  .bool(
    'Whether to wait until the engine has revoked the lease. If false, the engine revokes it in the background. The lease is invalid at once in any case.',
  )
  .default(true)

/**
 * Returns the record id of a lease of this namespace: the UUID of the namespace, and the lease id without the namespace's suffix. Returns
 * undefined if no lease of this namespace can have the lease id.
 * @throws KernelError 400 for an empty id.
 */
export function keyOf(tx: Tx, id: string): string | undefined {
  if (id === '') throw invalid('lease_id must be specified')
  const { namespace } = tx.call
  const suffix = namespaceSuffix(namespace)
  if (!id.endsWith(suffix)) return undefined
  return `${namespace.uuid}/${id.slice(0, id.length - suffix.length)}`
}

/** The keyspace that contains the leases of this namespace. */
export const leaseKeyspace = (tx: Tx): Keyspace => (TOPOLOGY.of(tx).holder(tx.call.mount.uuid) as Mount).keyspace

export const withoutSlash = (prefix: string): string => (prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)
