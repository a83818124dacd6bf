/**
 * Glob patterns in roles: `*` matches any number of characters, anywhere in the pattern.
 */

/** Whether the string matches one of the patterns. Takes linear time in the length of the string and of the patterns. */
export const fitsAny = (text: string, patterns: readonly string[]): boolean => patterns.some((pattern) => matches(text, pattern))

function matches(text: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*')
  const tail = rest.pop()
  if (tail === undefined) return text === pattern
  if (!text.startsWith(head)) return false
  let at = head.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - tail.length >= at && text.endsWith(tail)
}
