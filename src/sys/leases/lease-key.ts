/** Finds a lease by its id. */
import { invalid } from '../../core/base/errors.ts'
import { namespaceSuffix } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import type { Mount } from '../../core/mount/mount.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import type { Place } from '../../core/transaction/place.ts'

export const LEASE_ID = f.text('The lease id, as it came with the secret.').needed('')

/** In a path. */
export const LEASE_PATH = f.path('The lease id.')

export const PREFIX = f.path('A path, whole segments of it: all leases at it or below.').ignoring('slashes')

export const INCREMENT = f
  .duration('How long it shall live from now on. Default: as long as the engine gives such secrets, else as the mount says.')
  .default(0)

export const SYNC = f
  .bool(
    'Whether to wait until the engine has revoked it. Else that is left to the background work; it is refused at once either way.',
  )
  .default(true)

/**
 * The key of a lease of this namespace; undefined where no lease here has the id.
 * @throws KernelError 400 for an empty id.
 */
export function keyOf(tx: Tx, id: string): string | undefined {
  if (id === '') throw invalid('lease_id must be specified')
  const { namespace } = tx.call
  const suffix = namespaceSuffix(namespace)
  if (!id.endsWith(suffix)) return undefined
  return `${namespace.uuid}/${id.slice(0, id.length - suffix.length)}`
}

/** The place of the records of this namespace's leases. */
export const leasePlace = (tx: Tx): Place => (TOPOLOGY.of(tx).holder(tx.call.mount.uuid) as Mount).place

export const withoutSlash = (prefix: string): string => (prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)
