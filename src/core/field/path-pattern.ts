/**
 * Path templates: what captures a template has (for the compiler) and how a path is matched (at run time).
 */

/**
 * `'/export/:key_type/:name(/:version)'` has the captures `'key_type' | 'name' | 'version'`. `*path` captures any number of segments,
 * none included, slashes and all, `+path` one or more; there is at most one of these in a template.
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

/** A compiled template. The caller handles trailing slashes: LIST paths end in one, others may not. */
export class PathPattern {
  readonly template: string
  readonly first: string
  readonly #segments: readonly Segment[]
  readonly #least: number
  /** The position of the capture of any number of segments, or -1. */
  readonly #rest: number
  readonly #restMayBeEmpty: boolean

  constructor(template: string) {
    this.template = template
    this.#rest = template
      .split('/')
      .slice(1)
      .findIndex((part) => /^[*+]/.test(part))
    this.#restMayBeEmpty = template.includes('/*')
    this.#segments = template
      .split('/')
      .slice(1)
      .map((part, index, all) => {
        const text = part.replaceAll(/[()]/g, '')
        const capture = /^[:*+]/.test(text) ? text.slice(1) : undefined
        return { capture, literal: capture === undefined ? text : undefined, optional: (all[index - 1] ?? '').endsWith('(') }
      })
    this.#least = this.#segments.filter((segment) => !segment.optional).length
    this.first = this.#segments[0]?.literal ?? ''
  }

  /** The captures of a path's segments, or undefined when they do not match. */
  match(segments: readonly string[]): Record<string, string> | undefined {
    return this.#rest < 0 ? this.#match(segments) : this.#match(this.#gather(segments))
  }

  /** Joins the segments of the rest into one. */
  #gather(segments: readonly string[]): readonly string[] {
    const behind = this.#segments.length - this.#rest - 1
    const end = Math.max(this.#rest, segments.length - behind)
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
   * The path with its captures filled in, and the captures; the inverse of {@link match}. Segments whose value is absent or empty are left
   * out.
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

  /** The compiled form of a template; made once. */
  static of(template: string): PathPattern {
    const known = compiled.get(template)
    if (known) return known
    const pattern = new PathPattern(template)
    compiled.set(template, pattern)
    return pattern
  }
}

/** Bounded, because every template belongs to an operation. */
const compiled = new Map<string, PathPattern>()
