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
  .duration("The requested lifetime from now. Default: the lifetime of the engine's secrets, else that of the mount.")
  .default(0)

export const SYNC = f
  .bool(
    'Whether to wait until the engine has revoked the lease. If false, it is revoked in the background. In both cases the lease is invalid at once.',
  )
  .default(true)

/**
 * Returns the key of a lease of this namespace; undefined if no lease of this namespace can have the id.
 * @throws KernelError 400 for an empty id.
 */
export function keyOf(tx: Tx, id: string): string | undefined {
  if (id === '') throw invalid('lease_id must be specified')
  const { namespace } = tx.call
  const suffix = namespaceSuffix(namespace)
  if (!id.endsWith(suffix)) return undefined
  return `${namespace.uuid}/${id.slice(0, id.length - suffix.length)}`
}

/** The prefix of this namespace's leases. */
export const leasePlace = (tx: Tx): Keyspace => (TOPOLOGY.of(tx).holder(tx.call.mount.uuid) as Mount).keyspace

export const withoutSlash = (prefix: string): string => (prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)
