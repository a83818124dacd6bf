/** Reads the mount and the secret of a request about an association, and checks the permissions that an association requires. */
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

export const MOUNT_FIELD = f.text('The path of the mount. It must be a key/value engine of version 2.').ignoring('slashes')

export const SECRET_FIELD = f.text('The path of the secret in the mount.').ignoring('slashes')

/** The maximum length of a path. A secret with a longer path would have no valid name in any external store. */
const MAX_PATH_CHARACTERS = 2048

/** Returns the path of a secret without redundant slashes. @throws KernelError 400 if the path is invalid. */
export function secretPathOf(given: string): string {
  if (given.length > MAX_PATH_CHARACTERS) throw invalid(`secret_name: must have at most ${MAX_PATH_CHARACTERS} characters`)
  const path = withoutOuterSlashes(given).replace(/\/{2,}/g, '/')
  if (path === '') throw invalid('secret_name: is required')
  return checkFreePath(path, 'secret_name')
}

/** Returns the path of a mount, with a trailing slash. @throws KernelError 400 if the path is empty or too long. */
export function mountPathOf(given: string): string {
  if (given.length > MAX_PATH_CHARACTERS) throw invalid(`mount: must have at most ${MAX_PATH_CHARACTERS} characters`)
  const path = withoutOuterSlashes(given)
  if (path === '') throw invalid('mount: is required')
  return `${path}/`
}

/** Returns the mount at a path in the namespace of the request. */
export const mountNamed = (tx: Tx, path: string): Mount | undefined => mountAt(TOPOLOGY.of(tx), tx.call.namespace, path)

/**
 * Returns the mount at a path.
 * @throws KernelError 400 if the mount does not exist, is not a key/value engine of version 2, or is local.
 */
export function syncableMount(tx: Tx, path: string): Mount & { readonly engine: { readonly secrets: object } } {
  const mount = mountNamed(tx, path)
  if (!mount?.engine.secrets) throw notFound(`mount: there is no key/value engine version 2 at ${path.slice(0, 200)}`, 400)
  if (isLocal(mount.record))
    throw invalid('mount: must not be a local mount, because the secrets of a local mount must stay in their cluster')
  return mount as ReturnType<typeof syncableMount>
}

/**
 * Checks that the caller may use `adopt`. With `adopt`, the account of the destination can replace an external secret of another owner, so
 * the caller needs permission to update the destination.
 * @throws KernelError 403 if the caller lacks the permission.
 */
export function authorizeAdopt(tx: Tx, type: SyncType, name: string): void {
  const { caller, namespace, wrap } = tx.call
  if (caller.kind === 'app') return
  const mount = `${namespace.path}sys/`
  const below = `sync/destinations/${type}/${name}`
  const others = pathsWithAliases(below, TYPE_IN_PATH).map((path) => ({ path: mount + path, alias: true }))
  const asked = { operation: 'update', path: mount + below, others, wrapTtl: wrap?.ttl, parameters: {} } as const
  if (caller.kind === 'token' && caller.acl.decide(asked).allowed) return
  throw new KernelError('ERR_PERMISSION_DENIED', 'adopt: requires permission to update the destination')
}

/**
 * Checks that the caller may read the secret that is to be pushed. After the push, the caller may be able to read it in the external store.
 * @throws KernelError 403 if the caller lacks the permission.
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
