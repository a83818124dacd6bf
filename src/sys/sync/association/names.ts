/** The mount and the secret in a request, and the permissions that an association requires. */
import { invalid, KernelError, notFound } from '../../../core/base/errors.ts'
import { withoutOuterSlashes } from '../../../core/base/slashes.ts'
import { isLocal } from '../../../core/contract/mount-record.ts'
import { pathsWithAliases } from '../../../core/contract/path-spelling.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { checkFreePath } from '../../../core/field/free-path.ts'
import type { Mount } from '../../../core/mount/mount.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { mountAt } from '../../mounts/mount-record.ts'
import { type SyncType, TYPE_IN_PATH } from '../types.ts'

export const MOUNT_FIELD = f.text('The path of the mount, a key/value engine version 2.').ignoring('slashes')

export const SECRET_FIELD = f.text('The path of the secret in the mount.').ignoring('slashes')

/** Secrets with longer paths have no valid name in any external store. */
const MAX_PATH_CHARACTERS = 2048

/** Removes redundant slashes. @throws KernelError 400 for an invalid path. */
export function secretPathOf(given: string): string {
  if (given.length > MAX_PATH_CHARACTERS) throw invalid(`secret_name: must have at most ${MAX_PATH_CHARACTERS} characters`)
  const path = withoutOuterSlashes(given).replace(/\/{2,}/g, '/')
  if (path === '') throw invalid('secret_name: is required')
  return checkFreePath(path, 'secret_name')
}

/** With a trailing slash. @throws KernelError 400 */
export function mountPathOf(given: string): string {
  if (given.length > MAX_PATH_CHARACTERS) throw invalid(`mount: must have at most ${MAX_PATH_CHARACTERS} characters`)
  const path = withoutOuterSlashes(given)
  if (path === '') throw invalid('mount: is required')
  return `${path}/`
}

/** Returns the mount at a path in the namespace of the request. */
export const mountNamed = (tx: Tx, path: string): Mount | undefined => mountAt(TOPOLOGY.of(tx), tx.call.namespace, path)

/** @throws KernelError 400 if the mount does not exist, or its secrets cannot be synchronized. */
export function syncableMount(tx: Tx, path: string): Mount & { readonly engine: { readonly secrets: object } } {
  const mount = mountNamed(tx, path)
  if (!mount?.engine.secrets) throw notFound(`mount: there is no key/value engine version 2 at ${path.slice(0, 200)}`, 400)
  if (isLocal(mount.record)) throw invalid('mount: must not be local; secrets of a local mount do not leave their cluster')
  return mount as ReturnType<typeof syncableMount>
}

/**
 * With `adopt`, the destination's account may replace a secret of another owner, so `adopt` requires permission to update the destination.
 * @throws KernelError 403
 */
export function authorizeAdopt(tx: Tx, type: SyncType, name: string): void {
  const { caller, namespace, wrap } = tx.call
  if (caller.kind === 'app') return
  const mount = `${namespace.path}sys/`
  const below = `sync/destinations/${type}/${name}`
  const others = pathsWithAliases(below, TYPE_IN_PATH).map((path) => ({ path: mount + path, alias: true }))
  const asked = { operation: 'update', path: mount + below, others, wrapTtl: wrap?.ttl, parameters: {} } as const
  if (caller.kind === 'token' && caller.acl.decide(asked).allowed) return
  throw new KernelError('ERR_PERMISSION_DENIED', 'adopt: needs permission to update the destination')
}

/**
 * A caller who has a secret pushed can read it in the external store, so pushing requires permission to read the secret.
 * @throws KernelError 403
 */
export function authorizeSecretRead(tx: Tx, mountPath: string, readPath: string, secret: string): void {
  const { caller, namespace, wrap } = tx.call
  if (caller.kind === 'app') return
  const path = `${namespace.path}${mountPath}${readPath}`
  if (caller.kind === 'token' && caller.acl.decide({ operation: 'read', path, wrapTtl: wrap?.ttl }).allowed) return
  throw new KernelError(
    'ERR_PERMISSION_DENIED',
    `permission denied to read the content of the secret ${secret.slice(0, 200)} in mount ${mountPath.slice(0, 200)}`,
  )
}
