/** Path templates in the form in which the documentation shows them. */
import type { AnyOperation } from './operation.ts'

/** One of the paths that a template with optional segments represents. */
export interface ShownPath {
  /** The path below the mount: `/keys/{name}`. */
  readonly path: string
  /** The names of the captures in the path, in order. */
  readonly captures: readonly string[]
}

const templateSegments = (template: string): readonly string[] => template.split('/').slice(1)
const bare = (segment: string): string => segment.replaceAll(/[()]/g, '')
const captureOf = (segment: string): string | undefined => /^[:*+](.*)$/.exec(bare(segment))?.[1]

/**
 * Returns the paths that a template represents. For `/random(/:source)(/:count)`, these are three paths: without optional segments, with
 * the first one, and with both. If a capture can be empty, its segment is optional, too.
 */
export function shownPaths({ path, fields }: AnyOperation): readonly ShownPath[] {
  const segments = templateSegments(path)
  const least = segments.findIndex((_, index) => index > 0 && (segments[index - 1] as string).endsWith('('))
  const counts = least < 0 ? [segments.length] : segments.map((_, index) => index + 1).filter((count) => count >= least)
  const shown = counts.map((count) => show(segments.slice(0, count)))
  const last = segments.at(-1) as string
  const mayBeEmpty = last.startsWith('*') && fields[last.slice(1)]?.required === false
  return mayBeEmpty ? [...shown, show(segments.slice(0, -1))] : shown
}

function show(segments: readonly string[]): ShownPath {
  const captures = segments.map(captureOf).filter((name) => name !== undefined)
  const path = segments.map((segment) => {
    const capture = captureOf(segment)
    return capture === undefined ? bare(segment) : `{${capture}}`
  })
  return { path: `/${path.join('/')}`, captures }
}

/**
 * Matches `segments` with the beginning of the template and returns the captures among them. Returns undefined if they do not match, or if
 * the template has no further segment after them. For example, `/keys/:name/config` matches `keys` and `keys/a`.
 */
export function capturesBefore(template: string, segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  const own = templateSegments(template)
  if (own.length <= segments.length) return undefined
  const captures: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const expected = own[index] as string
    const capture = captureOf(expected)
    if (capture !== undefined) captures[capture] = segment
    else if (bare(expected) !== segment) return undefined
  }
  return captures
}
