/**
 * An engine's routes, grouped by path pattern. The table finds the operation for a path and a verb. It also distinguishes an unknown path
 * (404) from a known path with an unsupported verb (405).
 */
import { KernelError } from '../base/errors.ts'
import type { SegmentAliases } from '../contract/admission-rules.ts'
import type { AnyOperation, Operations, Verb } from '../contract/operation.ts'
import { PathSpelling, withCanonicalSegment } from '../contract/path-spelling.ts'
import { PathPattern } from '../field/path-pattern.ts'

/** The route of a path. The caller is authorized before a refusal is returned, so that refusals reveal nothing about existing paths. */
export interface Route {
  /** The operation to run; absent if no operation matches. `refusal` is then the error. */
  readonly operation?: AnyOperation
  readonly refusal?: KernelError
  readonly captures: Readonly<Record<string, string>>
  /** Whether at least one operation at the path needs no token. If so, a refusal for another verb needs no token either. */
  readonly unauthenticated: boolean
}

/** The routes of help requests. */
export interface HelpRoutes {
  route: (operations: Operations, segments: readonly string[]) => Route
}

interface RouteGroup {
  readonly pattern: PathPattern
  readonly verbs: Map<Verb, AnyOperation>
  unauthenticated: boolean
  neverListed: boolean
  disabled: boolean
  exclusive: boolean
}

const NO_CAPTURES = Object.freeze({})
const tables = new WeakMap<Operations, RouteTable>()

export class RouteTable {
  readonly #byFirst = new Map<string, RouteGroup[]>()
  /** Whether any operation has a path with more than one spelling. */
  readonly hasSpellings: boolean
  readonly #segmentAliases: readonly SegmentAliases[]

  /** The table of an engine's operations. It is created once per engine. */
  static of(operations: Operations): RouteTable {
    const known = tables.get(operations)
    if (known) return known
    const table = new RouteTable(operations)
    tables.set(operations, table)
    return table
  }

  constructor(operations: Operations) {
    this.#segmentAliases = [...new Set(Object.values(operations).flatMap(({ segmentAliases }) => segmentAliases ?? []))]
    this.hasSpellings = Object.values(operations).some((operation) => PathSpelling.of(operation))
    for (const operation of Object.values(operations)) {
      const pattern = PathPattern.of(operation.path)
      const group = this.#byFirst.get(pattern.first) ?? []
      this.#byFirst.set(pattern.first, group)
      const unauthenticated = operation.unauthenticated === true
      const neverListed = operation.neverListed === true
      const disabled = operation.disabled === true
      const exclusive = operation.exclusive === true
      const same = group.find((known) => known.pattern.template === operation.path)
      if (same) {
        same.verbs.set(operation.verb, operation)
        same.unauthenticated ||= unauthenticated
        same.neverListed ||= neverListed
      } else
        group.push({
          pattern,
          verbs: new Map([[operation.verb, operation]]),
          unauthenticated,
          neverListed,
          disabled,
          exclusive,
        })
    }
  }

  /**
   * @param segments The path below the mount, decoded and split at slashes. If the path ends in a slash, the last segment is empty. Only
   * for LIST, the caller removes the slash at the end.
   */
  match(verb: string, segments: readonly string[]): Route {
    const first = segments[0] ?? ''
    // A request with another verb may have the path of a LIST request, which ends in a slash. The paths in the definitions of operations
    // have no slash at the end.
    const unslashed = segments.length > 1 && segments.at(-1) === '' ? segments.slice(0, -1) : undefined
    let known: Route | undefined
    for (const group of first === '' ? [this.#byFirst.get('')] : [this.#byFirst.get(first), this.#byFirst.get('')]) {
      for (const { pattern, verbs, unauthenticated, neverListed, disabled, exclusive } of group ?? []) {
        const captures = pattern.match(segments) ?? (unslashed && verbs.has('LIST') ? pattern.match(unslashed) : undefined)
        if (!captures) continue
        // Only operations that need no token can be switched off, so every caller gets this refusal.
        if (disabled) return { refusal: unsupportedPathError(), captures, unauthenticated }
        const operation = verbs.get(verb as Verb) ?? headOf(verb, verbs.get('GET'))
        if (operation) return { operation, captures, unauthenticated }
        // The path of a LIST request ends in a slash, so a path that cannot be listed counts as unknown.
        if (verb !== 'LIST' || neverListed) known ??= { refusal: unsupportedVerbError(), captures, unauthenticated }
        if (exclusive) return known ?? { refusal: unsupportedPathError(), captures, unauthenticated }
      }
    }
    return known ?? unknownRoute()
  }

  /** The path below the mount, with canonical segment names. */
  withCanonicalSegments(below: string): string {
    return this.#segmentAliases.reduce(withCanonicalSegment, below)
  }

  /** The verbs of all operations at a path; empty if the path does not exist. */
  verbsAt(segments: readonly string[]): readonly Verb[] {
    const groups = [this.#byFirst.get(segments[0] ?? ''), this.#byFirst.get('')]
    const found = groups.flatMap((group) => group ?? []).filter(({ pattern }) => pattern.match(segments))
    const exclusive = found.find((pattern) => pattern.exclusive)
    return (exclusive ? [exclusive] : found).flatMap(({ verbs }) => [...verbs.keys()])
  }
}

/** HEAD is supported only for operations that work in any state, such as the health check. */
const headOf = (verb: string, get: AnyOperation | undefined): AnyOperation | undefined =>
  verb === 'HEAD' && get?.inAnyState ? get : undefined

const unsupportedVerbError = (): KernelError =>
  new KernelError('ERR_UNSUPPORTED_OPERATION', '1 error occurred:\n\t* unsupported operation\n\n')

const unsupportedPathError = (): KernelError =>
  new KernelError('ERR_UNSUPPORTED_PATH', '1 error occurred:\n\t* unsupported path\n\n')

/** The route of a path that no operation has. */
export const unknownRoute = (): Route => ({ refusal: unsupportedPathError(), captures: NO_CAPTURES, unauthenticated: false })
