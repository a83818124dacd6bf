/**
 * Path templates: what captures a template has (for the compiler) and how a path is matched (at run time).
 * Room: core/operation. Imported by operation() for the types and by the request layer's route table.
 */

/** `'/export/:key_type/:name(/:version)'` has the captures `'key_type' | 'name' | 'version'`. */
export type PathParam<P extends string> = P extends `${infer Head}(${infer Middle})${infer Tail}`
  ? PathParam<Head> | PathParam<Middle> | PathParam<Tail>
  : P extends `${string}:${infer Rest}`
    ? Rest extends `${infer Name}/${infer Tail}`
      ? Name | PathParam<`/${Tail}`>
      : Rest
    : never

interface Segment {
  readonly literal: string | undefined
  readonly capture: string | undefined
  readonly optional: boolean
}

/** A compiled template. Trailing slashes are the caller's business: LIST paths end in one, others may not. */
export class PathPattern {
  readonly template: string
  readonly first: string
  readonly #segments: readonly Segment[]
  readonly #least: number

  constructor(template: string) {
    this.template = template
    this.#segments = template
      .split('/')
      .slice(1)
      .map((part, index, all) => {
        const text = part.replaceAll(/[()]/g, '')
        const capture = text.startsWith(':') ? text.slice(1) : undefined
        return { capture, literal: capture === undefined ? text : undefined, optional: (all[index - 1] ?? '').endsWith('(') }
      })
    this.#least = this.#segments.filter((segment) => !segment.optional).length
    this.first = this.#segments[0]?.literal ?? ''
  }

  /** The captures of a path's segments, or undefined when they do not fit. */
  match(segments: readonly string[]): Record<string, string> | undefined {
    if (segments.length < this.#least || segments.length > this.#segments.length) return undefined
    const captures: Record<string, string> = {}
    for (let i = 0; i < segments.length; i++) {
      const { capture, literal } = this.#segments[i] as Segment
      const segment = segments[i] as string
      if (capture !== undefined && segment !== '') captures[capture] = segment
      else if (literal !== segment) return undefined
    }
    return captures
  }
}
