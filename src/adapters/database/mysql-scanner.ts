/**
 * The lexical rules of MySQL and MariaDB for a session without the SQL modes ANSI_QUOTES and NO_BACKSLASH_ESCAPES.
 */
import { endOfBackslashQuote, endOfDoubledQuote, endOfLine, type SqlScanner } from './sql-scanner.ts'

const LINE_BREAKS = '\n'
/** The beginning of a comment whose content the server executes, such as `/*!`, `/*!50100` or `/*M!100100`. */
const EXECUTABLE_COMMENT = /\/\*M?!\d{0,6}/y
/** Two dashes begin a comment only if one of these characters or the end of the text follows. */
const AFTER_DASHES = /[\s\p{Cc}]/u

export const mysqlScanner: SqlScanner = {
  scan(text, on) {
    let carriedOut = false
    for (let at = 0; at < text.length; ) {
      const from = at
      const char = text[at]!
      const next = text[at + 1]
      if (char === "'" || char === '"') {
        at = endOfBackslashQuote(text, from, char)
        on(char, from, at, true)
      } else if (char === '`') {
        at = endOfDoubledQuote(text, from, '`')
        on('`', from, at, false)
      } else if (char === ';') {
        at++
        if (!carriedOut) on(';', from, at, false)
      } else if (char === '#' || (char === '-' && next === '-' && (at + 2 >= text.length || AFTER_DASHES.test(text[at + 2]!)))) {
        at = endOfLine(text, from, LINE_BREAKS)
        on('comment', from, at, false)
      } else if (char === '/' && next === '*') {
        EXECUTABLE_COMMENT.lastIndex = from
        const mark = EXECUTABLE_COMMENT.exec(text)?.[0]
        if (mark !== undefined) {
          carriedOut = true
          at += mark.length
        } else {
          const end = text.indexOf('*/', from + 2)
          at = end < 0 ? text.length : end + 2
          on('comment', from, at, false)
        }
      } else if (carriedOut && char === '*' && next === '/') {
        carriedOut = false
        at += 2
      } else at++
    }
  },
}
