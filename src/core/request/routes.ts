/**
 * An engine's routes, grouped by pattern, so that an unknown path (404) and an unsupported verb (405) come from one table.
 * Room: core/request. Imported by mounts.
 */
import { KernelError } from '../errors.ts'
import type { AnyOperation, Operations, Verb } from '../operation/operation.ts'
import { PathPattern } from '../operation/path-pattern.ts'

export interface Route {
  readonly operation: AnyOperation
  readonly captures: Readonly<Record<string, string>>
}

interface Pattern {
  readonly pattern: PathPattern
  readonly verbs: Map<Verb, AnyOperation>
}

const tables = new WeakMap<Operations, RouteTable>()

export class RouteTable {
  readonly #byFirst = new Map<string, Pattern[]>()

  /** The table of an engine's operations; made once. */
  static of(operations: Operations): RouteTable {
    const known = tables.get(operations)
    if (known) return known
    const table = new RouteTable(Object.values(operations))
    tables.set(operations, table)
    return table
  }

  constructor(operations: readonly AnyOperation[]) {
    for (const operation of operations) {
      const pattern = new PathPattern(operation.path)
      const group = this.#byFirst.get(pattern.first) ?? []
      this.#byFirst.set(pattern.first, group)
      const same = group.find((known) => known.pattern.template === operation.path)
      if (same) same.verbs.set(operation.verb, operation)
      else group.push({ pattern, verbs: new Map([[operation.verb, operation]]) })
    }
  }

  /**
   * @param segments The path below the mount, decoded, split at slashes, without the empty one behind a trailing slash.
   * @throws KernelError 404 for a path no route has, 405 for a verb its routes lack.
   */
  match(verb: string, segments: readonly string[]): Route {
    let known = false
    for (const { pattern, verbs } of this.#byFirst.get(segments[0] ?? '') ?? []) {
      const captures = pattern.match(segments)
      if (!captures) continue
      const operation = verbs.get(verb as Verb)
      if (operation) return { operation, captures }
      // A LIST is asked with a slash behind its path, so where nothing is listed there is no such path.
      known ||= verb !== 'LIST'
    }
    if (known) throw new KernelError('ERR_UNSUPPORTED_OPERATION', 'this path does not support that verb')
    throw new KernelError('ERR_UNSUPPORTED_PATH', 'there is no such path in this engine')
  }
}
