/** Computes the canonical spelling of an operation's path, and all other paths to the same record. */
import { foldName } from '../base/fold-name.ts'
import { withoutOuterSlashes } from '../base/slashes.ts'
import type { IgnoredSpelling } from '../field/field.ts'
import { PathPattern } from '../field/path-pattern.ts'
import type { SegmentAliases } from './admission-rules.ts'
import type { AnyOperation } from './operation.ts'

/** A path below a mount. */
export interface SpelledPath {
  readonly path: string
  /** For a path with a case-insensitive name: the number of slashes before that name. `path` contains the name in lower case. */
  readonly foldedAfter: number | undefined
  /** Whether the list also contains this path without its trailing slash. The operation ignores that slash. */
  readonly slash: boolean
  /** Whether the path contains an alias of a segment. */
  readonly alias?: boolean | undefined
}

type Captures = Readonly<Record<string, string>>

/** For each kind of difference in spelling that operations can ignore: the function that converts a capture to its canonical form. */
const SPELLINGS: Readonly<Record<IgnoredSpelling, (value: string) => string>> = {
  case: foldName,
  slashes: (value) => withoutOuterSlashes(value).replaceAll(/\/{2,}/g, '/'),
  // Strip the zeros in a second step, because the expression `0*(\d+)` takes quadratic time for many zeros followed by another character.
  'number form': (value) => /^v?\+?(\d+)$/.exec(value)?.[1]?.replace(/^0+(?=\d)/, '') ?? value,
}

/** Returns all paths to the record on which an operation acts. */
export class PathSpelling {
  readonly #paths: readonly {
    readonly pattern: PathPattern
    readonly isFolder: boolean
    readonly foldedAfter: number | undefined
  }[]
  /**
   * The captures in which the operation ignores some differences of spelling, such as case, each with the function that converts its value
   * to the canonical spelling.
   */
  readonly #ignoring: readonly (readonly [name: string, spell: (value: string) => string])[]
  readonly #endsInSlashes: boolean
  readonly #segmentAliases: SegmentAliases | undefined

  private constructor(
    ignoring: readonly (readonly [name: string, ignored: IgnoredSpelling])[],
    { path, aliasPaths = [], segmentAliases }: AnyOperation,
  ) {
    this.#segmentAliases = segmentAliases
    const folded = ignoring.find(([, ignored]) => ignored === 'case')?.[0]
    const slashesBefore = (template: string): number => template.split('/').findIndex((part) => part.slice(1) === folded) - 1
    this.#ignoring = ignoring.map(([name, ignored]) => [name, SPELLINGS[ignored]])
    this.#paths = [path, ...aliasPaths].map((template) => ({
      pattern: PathPattern.of(template),
      isFolder: template.endsWith('/'),
      foldedAfter: folded === undefined ? undefined : slashesBefore(template),
    }))
    this.#endsInSlashes = ignoring.some(
      ([name, ignored]) => ignored === 'slashes' && [path, ...aliasPaths].every((template) => template.endsWith(name)),
    )
  }

  /** Returns undefined for an operation that has only one path with one spelling, as most operations do. */
  static of(operation: AnyOperation): PathSpelling | undefined {
    const known = spellings.get(operation)
    if (known !== undefined) return known ?? undefined
    const { path, fields, aliasPaths, segmentAliases } = operation
    const ignoring = [...path.matchAll(/[:*+](\w+)/g)].flatMap(([, name]) => {
      const ignored: IgnoredSpelling | undefined = fields[name as string]?.ignores
      return ignored === undefined ? [] : [[name as string, ignored] as const]
    })
    const spelling = aliasPaths || segmentAliases || ignoring.length > 0 ? new PathSpelling(ignoring, operation) : undefined
    spellings.set(operation, spelling ?? null)
    return spelling
  }

  /** Returns the canonical path first, then all other paths to the record. */
  pathsOf(captures: Captures, list: boolean): readonly SpelledPath[] {
    const spelled: Record<string, string> = { ...captures }
    for (const [name, spell] of this.#ignoring) if (spelled[name] !== undefined) spelled[name] = spell(spelled[name])
    const paths: SpelledPath[] = this.#paths.map(({ pattern, isFolder, foldedAfter }) => ({
      path: pattern.fill(spelled, {}) + (isFolder ? '/' : ''),
      foldedAfter,
      slash: false,
    }))
    const aliases = this.#segmentAliases
    if (aliases)
      for (const own of [...paths])
        for (const path of pathsWithAliases(own.path, aliases)) paths.push({ ...own, path, alias: true })
    if (list || !this.#endsInSlashes) return paths
    return [...paths, ...paths.map(({ path, foldedAfter }) => ({ path: `${path}/`, foldedAfter, slash: true }))]
  }
}

/** Replaces an alias of the segment in the path by the canonical name. */
export function withCanonicalSegment(path: string, { after, aliases }: SegmentAliases): string {
  if (!path.startsWith(after)) return path
  const [segment = '', ...rest] = path.slice(after.length).split('/')
  return Object.hasOwn(aliases, segment) ? [after + aliases[segment], ...rest].join('/') : path
}

/** Returns one path for each alias of the segment, with the alias in place of the segment. */
export function pathsWithAliases(path: string, { after, aliases }: SegmentAliases): readonly string[] {
  if (!path.startsWith(after)) return []
  const [segment = '', ...rest] = path.slice(after.length).split('/')
  return Object.keys(aliases).flatMap((other) => (aliases[other] === segment ? [[after + other, ...rest].join('/')] : []))
}

/** Null for operations that have only one path with one spelling. */
const spellings = new WeakMap<AnyOperation, PathSpelling | null>()
