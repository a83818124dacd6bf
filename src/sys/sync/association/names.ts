/**
 * The mount and the secret that a request is about.
 */
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

export const MOUNT_FIELD = f.text('The path of the mount: of the key/value engine, version 2.').ignoring('slashes')

export const SECRET_FIELD = f.text('The path of the secret in the mount.').ignoring('slashes')

/** Characters: longer ones have no place in any store. */
const MAX_PATH_CHARACTERS = 2048

/** Without slashes that say nothing. @throws KernelError 400 for what cannot be the path of a secret. */
export function secretPathOf(given: string): string {
  if (given.length > MAX_PATH_CHARACTERS) throw invalid(`secret_name: at most ${MAX_PATH_CHARACTERS} characters`)
  const path = withoutOuterSlashes(given).replace(/\/{2,}/g, '/')
  if (path === '') throw invalid('secret_name: is required')
  return checkFreePath(path, 'secret_name')
}

/** With a slash at its end. @throws KernelError 400 */
export function mountPathOf(given: string): string {
  if (given.length > MAX_PATH_CHARACTERS) throw invalid(`mount: at most ${MAX_PATH_CHARACTERS} characters`)
  const path = withoutOuterSlashes(given)
  if (path === '') throw invalid('mount: is required')
  return `${path}/`
}

/** The mount at that path of the namespace. */
export const mountNamed = (tx: Tx, path: string): Mount | undefined => mountAt(TOPOLOGY.of(tx), tx.call.namespace, path)

/** @throws KernelError 400 for what is no mount whose secrets can be kept elsewhere, too. */
export function syncableMount(tx: Tx, path: string): Mount & { readonly engine: { readonly secrets: object } } {
  const mount = mountNamed(tx, path)
  if (!mount?.engine.secrets) throw notFound(`mount: there is no key/value engine of version 2 at ${path.slice(0, 200)}`, 400)
  if (isLocal(mount.record)) throw invalid('mount: what is kept of a local mount stays in its cluster, and is not pushed')
  return mount as ReturnType<typeof syncableMount>
}

/**
 * Taking over a name that others may use is a decision about the destination's account, so it needs the right to change the destination.
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
 * Whoever has a secret pushed somewhere reads it by that.
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
