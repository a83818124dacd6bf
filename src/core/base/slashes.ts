const SLASH = 0x2f

/**
 * The path without leading and trailing slashes. A loop, because a regular expression would look for the end of the path at every slash in
 * between.
 */
export function withoutOuterSlashes(path: string): string {
  let start = 0
  let end = path.length
  while (start < end && path.charCodeAt(start) === SLASH) start++
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--
  return path.slice(start, end)
}
