/** Validates the paths of a filter. */
import { invalid } from '../../../core/base/errors.ts'
import { withoutOuterSlashes } from '../../../core/base/slashes.ts'
import { AUTH_MOUNT_PREFIX, MAX_MOUNT_PATH_CHARACTERS } from '../../../core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import { checkFreePath } from '../../../core/field/free-path.ts'
import type { NamespaceTable } from '../../../core/mount/namespace-table.ts'
import { isBuiltInMount } from './filter-rules.ts'

/** The maximum number of paths in one filter. */
export const MAX_FILTER_PATHS = 1000

/** The limit for all paths together, because they are stored in one record. */
const MAX_FILTER_CHARACTERS = 65_536

/** The maximum length of a full path: the path of a namespace and the path of a mount in this namespace. */
const MAX_PATH_CHARACTERS = MAX_MOUNT_PATH_CHARACTERS + AUTH_MOUNT_PREFIX.length + MAX_MOUNT_PATH_CHARACTERS

/** First segments of built-in mounts and of reserved paths, which cannot be filtered. */
const RESERVED = new Set(['sys', 'identity', 'cubbyhole', 'audit'])

/**
 * Returns each path once, with a trailing slash. The paths need not exist.
 *
 * @throws KernelError 400 if a path cannot be the path of a mount or namespace, or cannot be filtered.
 */
export function parseFilterPaths(given: readonly string[], namespaces: NamespaceTable): readonly string[] {
  let characters = 0
  const paths = new Set<string>()
  for (const one of given) {
    characters += one.length
    if (characters > MAX_FILTER_CHARACTERS) throw invalid(`paths: must have at most ${MAX_FILTER_CHARACTERS} characters in total`)
    paths.add(parseFilterPath(one, namespaces))
  }
  return [...paths]
}

function parseFilterPath(given: string, namespaces: NamespaceTable): string {
  if (given.length > MAX_PATH_CHARACTERS) throw invalid(`paths: a path must have at most ${MAX_PATH_CHARACTERS} characters`)
  const path = `${withoutOuterSlashes(given)}/`
  if (path === '/') throw invalid('paths: a path must name a mount or a namespace; the root namespace cannot be filtered')
  checkFreePath(path, 'paths')
  if (path.includes('*') || path.split('/').includes('+')) throw invalid('paths: wildcards are not supported')
  const within = path.slice(namespaces.innermost(ROOT_NAMESPACE, path).path.length)
  for (const relative of [path, within]) {
    if (RESERVED.has(relative.slice(0, relative.indexOf('/'))) || isBuiltInMount(relative) || relative === AUTH_MOUNT_PREFIX)
      throw invalid(`paths: ${relative.slice(0, 200)} cannot be filtered`)
  }
  return path
}
