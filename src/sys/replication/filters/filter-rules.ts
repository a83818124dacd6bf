/** Evaluates a path filter. The result depends on paths only, so it is the same on every cluster and at any time. */
import { BUILT_IN_MOUNTS } from '../../../core/kernel/first-records.ts'
import type { PathsFilter } from '../state/records.ts'

const BUILT_IN = new Set(BUILT_IN_MOUNTS.map(({ path }) => path))

/** Whether this is the path of a built-in mount, which every namespace has. Such a mount is filtered together with its namespace. */
export const isBuiltInMount = (path: string): boolean => BUILT_IN.has(path)

export class FilterRules {
  readonly #allows: boolean
  readonly #listed: ReadonlySet<string>
  readonly #aboveListed = new Set<string>()

  constructor({ mode, paths }: PathsFilter) {
    this.#allows = mode === 'allow'
    this.#listed = new Set(paths)
    for (const path of paths) for (const above of pathsAbove(path)) this.#aboveListed.add(above)
  }

  /** Whether a namespace and the records in it are included. The root namespace, with its policies and identities, is always included. */
  includesNamespace(path: string): boolean {
    return path === '' || this.#isListed(path) === this.#allows
  }

  /**
   * Whether the record of a namespace is included. The record is also included if a mount or namespace below the namespace is allowed, because
   * that mount or namespace would be unreachable without the record.
   */
  includesNamespaceRecord(path: string): boolean {
    return this.includesNamespace(path) || (this.#allows && this.#aboveListed.has(path))
  }

  /**
   * Whether a mount is included.
   *
   * @param namespace The path of the mount's namespace.
   * @param path The path of the mount, relative to the namespace.
   */
  includesMount(namespace: string, path: string): boolean {
    if (isBuiltInMount(path)) return this.includesNamespace(namespace)
    return (this.#listed.has(namespace + path) || this.#isListed(namespace)) === this.#allows
  }

  /** Whether the filter lists the namespace or a namespace above it. */
  #isListed(namespace: string): boolean {
    if (namespace === '') return false
    return this.#listed.has(namespace) || pathsAbove(namespace).some((above) => this.#listed.has(above))
  }
}

/** Returns the parent paths of a path: `a/`, `a/b/` for `a/b/c/`. */
function pathsAbove(path: string): readonly string[] {
  const above: string[] = []
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1))
    above.push(path.slice(0, at + 1))
  return above
}
