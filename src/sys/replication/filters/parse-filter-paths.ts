/**
 * The paths of a filter as somebody gives them.
 */
import { invalid } from '../../../core/base/errors.ts'
import { withoutOuterSlashes } from '../../../core/base/slashes.ts'
import { AUTH, LONGEST_MOUNT_PATH } from '../../../core/contract/mount-record.ts'
import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import { checkFreePath } from '../../../core/field/free-path.ts'
import type { NamespaceTable } from '../../../core/mount/namespace-table.ts'
import { isBuiltIn } from './filter-rules.ts'

/** Each is looked at whenever a part is judged for the first time. */
export const MAX_FILTER_PATHS = 1000

/** Of all paths together: they are one record. */
const MAX_FILTER_CHARACTERS = 65_536

/** A namespace's path, and a mount's in it. */
const MAX_PATH_CHARACTERS = LONGEST_MOUNT_PATH + AUTH.length + LONGEST_MOUNT_PATH

/** First segments of what every namespace has by itself, and of what none can have. */
const RESERVED = new Set(['sys', 'identity', 'cubbyhole', 'audit'])

/**
 * Each with a slash at the end, and once. They need not exist.
 * @throws KernelError 400 for what can be no mount or namespace, or cannot be filtered.
 */
export function parseFilterPaths(given: readonly string[], namespaces: NamespaceTable): readonly string[] {
  let characters = 0
  const paths = new Set<string>()
  for (const one of given) {
    characters += one.length
    if (characters > MAX_FILTER_CHARACTERS) throw invalid(`paths: at most ${MAX_FILTER_CHARACTERS} characters altogether`)
    paths.add(parseFilterPath(one, namespaces))
  }
  return [...paths]
}

function parseFilterPath(given: string, namespaces: NamespaceTable): string {
  if (given.length > MAX_PATH_CHARACTERS) throw invalid(`paths: a path has at most ${MAX_PATH_CHARACTERS} characters`)
  const path = `${withoutOuterSlashes(given)}/`
  if (path === '/') throw invalid('paths: a path must name a mount or a namespace; the root namespace cannot be filtered')
  checkFreePath(path, 'paths')
  if (path.includes('*') || path.split('/').includes('+')) throw invalid('paths: wildcards have no meaning here')
  const within = path.slice(namespaces.within(ROOT_NAMESPACE, path).path.length)
  for (const relative of [path, within]) {
    if (RESERVED.has(relative.slice(0, relative.indexOf('/'))) || isBuiltIn(relative) || relative === AUTH)
      throw invalid(`paths: ${relative.slice(0, 200)} cannot be filtered`)
  }
  return path
}
