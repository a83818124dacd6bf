const SLASH = 0x2f

/**
 * Removes leading and trailing slashes. Uses a loop, because a regular expression would search for the end of the path at every slash
 * within it.
 */
export function withoutOuterSlashes(path: string): string {
  let start = 0
  let end = path.length
  while (start < end && path.charCodeAt(start) === SLASH) start++
  while (end > start && path.charCodeAt(end - 1) === SLASH) end--
  return path.slice(start, end)
}
