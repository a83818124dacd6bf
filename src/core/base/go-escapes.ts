/**
 * The single-letter escapes in Go's double-quoted strings (Go language specification, string literals).
 */
export const GO_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
}
