/**
 * Slashes at the ends of paths.
 */

const SLASH = 0x2f

/**
 * A path without its leading and trailing slashes. A loop, since a regular expression would look for the end at every slash in
 * between.
 */
export function withoutOuterSlashes(path: string): string {
  let start = 0
  let end = path.length
  while (start < end && path.charCodeAt(start) === SLASH) start++
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--
  return path.slice(start, end)
}
