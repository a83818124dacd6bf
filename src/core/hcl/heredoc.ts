/** Multi-line strings in HCL: `<<NAME`, the lines, and a last line that contains only the name. */
import type { HclCursor } from './syntax.ts'

const OPENING = /<<-?/y
const NAME = /[\p{L}\p{Nd}_]+/uy

/**
 * Returns the lines with their line breaks. Escape sequences have no meaning. After `<<-`, the indentation of the last line is removed from
 * all lines, if all lines have at least this indentation.
 */
export function readHeredoc(cursor: HclCursor): string {
  const { text, at: start } = cursor
  const opening = cursor.match(OPENING)
  const name = cursor.match(NAME)
  cursor.take('\r')
  if (name === undefined || !cursor.take('\n'))
    throw cursor.refuse('a heredoc without a name, or with text after its name', start)
  const lines: string[] = []
  for (let { at } = cursor; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? text.length : end)
    if (line.trim() === name) {
      cursor.at = at + line.length
      return (opening === '<<' ? lines : withoutIndent(lines, line.slice(0, line.indexOf(name)))).join('')
    }
    if (end < 0) break
    lines.push(`${line}\n`)
    at = end + 1
  }
  throw cursor.refuse('a heredoc that is not closed', start)
}

const withoutIndent = (lines: readonly string[], indent: string): readonly string[] =>
  lines.every((line) => line.startsWith(indent)) ? lines.map((line) => line.slice(indent.length)) : lines
