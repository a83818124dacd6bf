const SLASH = 0x2f

/**
 * Removes leading and trailing slashes. Uses a loop: at every slash within the path, a regular expression would test whether the path ends
 * there.
 */
export function withoutOuterSlashes(path: string): string {
  let start = 0
  let end = path.length
  while (start < end && path.charCodeAt(start) === SLASH) start++
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--
  return path.slice(start, end)
}
