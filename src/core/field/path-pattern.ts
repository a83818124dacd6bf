/** Path templates. TypeScript infers the names of the captures in a template; the paths are matched at run time. */

/**
 * The names of the captures in a template. For example, `'/export/:key_type/:name(/:version)'` has `'key_type' | 'name' | 'version'`.
 * `*path` captures any number of segments with their slashes, and may be empty; `+path` captures at least one segment. A template may
 * contain only one such capture.
 */
export type PathParam<P extends string> = P extends `${infer Head}(${infer Middle})${infer Tail}`
  ? PathParam<Head> | PathParam<Middle> | PathParam<Tail>
  : P extends `${infer Head}*${infer Rest}` | `${infer Head}+${infer Rest}`
    ? PathParam<Head> | Named<Rest>
    : P extends `${string}:${infer Rest}`
      ? Named<Rest>
      : never
type Named<Rest extends string> = Rest extends `${infer Name}/${infer Tail}` ? Name | PathParam<`/${Tail}`> : Rest

interface Segment {
  readonly literal: string | undefined
  readonly capture: string | undefined
  readonly optional: boolean
}

/** A compiled template. The caller handles a slash at the end of a path: the path of a LIST ends in a slash, and other paths need not. */
export class PathPattern {
  readonly template: string
  readonly first: string
  readonly #segments: readonly Segment[]
  readonly #least: number
  /** The index of `*path` or `+path` in the template, or -1 if the template contains neither. */
  readonly #rest: number
  readonly #restMayBeEmpty: boolean

  constructor(template: string) {
    this.template = template
    const parts = template.split('/').slice(1)
    this.#rest = parts.findIndex((part) => /^[*+]/.test(part))
    this.#restMayBeEmpty = template.includes('/*')
    this.#segments = parts.map((part, index) => {
      const text = part.replaceAll(/[()]/g, '')
      const capture = /^[:*+]/.test(text) ? text.slice(1) : undefined
      return { capture, literal: capture === undefined ? text : undefined, optional: (parts[index - 1] ?? '').endsWith('(') }
    })
    this.#least = this.#segments.filter((segment) => !segment.optional).length
    this.first = this.#segments[0]?.literal ?? ''
  }

  /** Matches the segments of a path. Returns the captures, or undefined if the segments do not match. */
  match(segments: readonly string[]): Record<string, string> | undefined {
    return this.#rest < 0 ? this.#match(segments) : this.#match(this.#gather(segments))
  }

  /** Replaces the segments that belong to `*path` or `+path` by a single string, in which they are joined by slashes. */
  #gather(segments: readonly string[]): readonly string[] {
    const after = this.#segments.length - this.#rest - 1
    const end = Math.max(this.#rest, segments.length - after)
    return [...segments.slice(0, this.#rest), segments.slice(this.#rest, end).join('/'), ...segments.slice(end)]
  }

  #match(segments: readonly string[]): Record<string, string> | undefined {
    if (segments.length < this.#least || segments.length > this.#segments.length) return undefined
    const captures: Record<string, string> = {}
    for (let i = 0; i < segments.length; i++) {
      const { capture, literal } = this.#segments[i] as Segment
      const segment = segments[i] as string
      if (capture !== undefined && (segment !== '' || (i === this.#rest && this.#restMayBeEmpty))) captures[capture] = segment
      else if (literal !== segment) return undefined
    }
    return captures
  }

  /**
   * The inverse of {@link match}: fills values into the template and returns the path. Adds the values to `captures`. Segments whose value
   * is missing or empty are omitted.
   */
  fill(values: Readonly<Record<string, unknown>>, captures: Record<string, string>): string {
    let path = ''
    for (const { capture, literal } of this.#segments) {
      const value = capture === undefined ? literal : values[capture]
      if (value === undefined || value === '') continue
      const text = String(value)
      if (capture !== undefined) captures[capture] = text
      path += path === '' ? text : `/${text}`
    }
    return path
  }

  /** The compiled template. It is cached. */
  static of(template: string): PathPattern {
    const known = compiled.get(template)
    if (known) return known
    const pattern = new PathPattern(template)
    compiled.set(template, pattern)
    return pattern
  }
}

/** The cache needs no limit, because every template belongs to an operation definition. */
const compiled = new Map<string, PathPattern>()
