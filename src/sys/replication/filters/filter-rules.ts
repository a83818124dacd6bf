/**
 * What a filter says of a path. It depends on paths alone, so it is the same wherever and whenever it is asked.
 */
import { BUILT_IN_MOUNTS } from '../../../core/kernel/first-records.ts'
import type { PathsFilter } from '../state/records.ts'

const BUILT_IN = new Set(BUILT_IN_MOUNTS.map(({ path }) => path))

/** Whether every namespace has a mount at this path: it goes with its namespace, and is in no filter. */
export const isBuiltIn = (path: string): boolean => BUILT_IN.has(path)

export class FilterRules {
  readonly #allows: boolean
  readonly #listed: ReadonlySet<string>
  readonly #aboveListed = new Set<string>()

  constructor({ mode, paths }: PathsFilter) {
    this.#allows = mode === 'allow'
    this.#listed = new Set(paths)
    for (const path of paths) for (const above of pathsAbove(path)) this.#aboveListed.add(above)
  }

  /** Whether a namespace is there with all that it holds itself; policies and identities of the root namespace always are. */
  includesNamespace(path: string): boolean {
    return path === '' || this.#isListed(path) === this.#allows
  }

  /** Whether at least the record of a namespace is there: also where something below it is allowed, which could not be reached without. */
  includesNamespaceRecord(path: string): boolean {
    return this.includesNamespace(path) || (this.#allows && this.#aboveListed.has(path))
  }

  /**
   * Whether a mount is there.
   * @param namespace The path of its namespace.
   * @param path Relative to that.
   */
  includesMount(namespace: string, path: string): boolean {
    if (isBuiltIn(path)) return this.includesNamespace(namespace)
    return (this.#listed.has(namespace + path) || this.#isListed(namespace)) === this.#allows
  }

  /** Whether a namespace is listed, or one that it lies in. */
  #isListed(namespace: string): boolean {
    if (namespace === '') return false
    return this.#listed.has(namespace) || pathsAbove(namespace).some((above) => this.#listed.has(above))
  }
}

/** The beginnings of a path that end with a slash, without itself: `a/`, `a/b/` of `a/b/c/`. */
function pathsAbove(path: string): readonly string[] {
  const above: string[] = []
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1))
    above.push(path.slice(0, at + 1))
  return above
}
