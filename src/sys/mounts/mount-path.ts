/** The rules for mount paths, as in Vault. */
import { alreadyExists, invalid } from '../../core/base/errors.ts'
import { withoutOuterSlashes } from '../../core/base/slashes.ts'
import { AUTH_MOUNT_PREFIX, MAX_MOUNT_PATH_CHARACTERS } from '../../core/contract/mount-record.ts'
import type { NamespaceRecord } from '../../core/contract/namespace.ts'
import { noPath } from '../../core/field/coercion.ts'
import type { GuardedTables } from '../../core/mount/guarded-tables.ts'

/** Printable characters and spaces. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u

/** The paths of the mounts that every namespace has. Paths are case-sensitive. */
const RESERVED = ['audit', 'auth', 'cubbyhole', 'identity', 'sys']

/** Returns the path in the form of a record: with a trailing slash and without a leading one. */
export const secretPath = (given: string): string => `${withoutOuterSlashes(given)}/`

export const authPath = (given: string): string => `${AUTH_MOUNT_PREFIX}${withoutOuterSlashes(given)}/`

/** Shortens text for messages, because a request may contain megabytes. */
export const shown = (text: string): string => text.slice(0, 200)

/**
 * @param path With a trailing slash; the path of an auth method starts with `auth/`.
 * @throws KernelError 400 for a path that no request or policy could name, 404 for a period at the end, as in Vault.
 */
export function checkMountPath(path: string, name: string): void {
  const own = path.slice(path.startsWith(AUTH_MOUNT_PREFIX) ? AUTH_MOUNT_PREFIX.length : 0, -1)
  if (own.length > MAX_MOUNT_PATH_CHARACTERS) throw invalid(`${name}: must have at most ${MAX_MOUNT_PATH_CHARACTERS} characters`)
  if (own.endsWith('.')) throw noPath(name, 'must not end in a period')
  if (!PRINTABLE.test(own)) throw invalid(`${name}: must be one or more printable characters`)
  if (own.includes('*')) throw invalid(`${name}: must not contain *, which is a wildcard in policies`)
  for (const segment of own.split('/')) {
    if (segment === '' || segment === '.' || segment === '..')
      throw invalid(`${name}: must not have segments that are empty, . or ..`)
    if (segment === '+') throw invalid(`${name}: must not have a segment +, which is a wildcard in policies`)
  }
  if (own.endsWith('/tune')) throw invalid(`${name}: must not end in /tune, the path for tuning a mount`)
}

export const isReserved = (path: string): boolean => RESERVED.includes(path.slice(0, path.indexOf('/')))

/** @throws KernelError 400 if a mount or a namespace is at the path, above it or below it. */
export function checkFree(
  { mounts, namespaces, checkVisible }: GuardedTables,
  namespace: NamespaceRecord,
  path: string,
  name: string,
): void {
  const overlaps = (other: string): boolean => other.startsWith(path) || path.startsWith(other)
  const mount = mounts.of(namespace).find(({ record }) => overlaps(record.path))
  if (mount) {
    checkVisible({ mount: mount.record.uuid })
    throw alreadyExists(`${name}: path is already in use at ${mount.record.path}`)
  }
  const child = namespaces.below(namespace.path).find((below) => overlaps(below.path.slice(namespace.path.length)))
  if (!child) return
  checkVisible({ namespace: child.uuid })
  throw alreadyExists(`${name}: path is already in use by the namespace ${child.path}`)
}
