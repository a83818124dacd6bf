/**
 * The lexical rules of PostgreSQL with `standard_conforming_strings` on, as in its scanner (scan.l).
 */
import { endOfBackslashQuote, endOfDoubledQuote, endOfLine, type SqlScanner } from './sql-scanner.ts'

const DOLLAR_QUOTE = /\$[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*\$/y
const LINE_BREAKS = '\n\r'

/** Uses comparisons instead of a regular expression, because this function runs for nearly every character. */
const beginsIdentifier = (char: string): boolean =>
  (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || char === '_' || char >= '\u0080'

function endOfIdentifier(text: string, from: number): number {
  let at = from + 1
  for (; at < text.length; at++) {
    const char = text[at]!
    if (!beginsIdentifier(char) && !(char >= '0' && char <= '9') && char !== '$') break
  }
  return at
}

/** Returns the end of a block comment. In PostgreSQL, block comments nest. */
function endOfComment(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '/' && text[at + 1] === '*') {
      depth++
      at++
    } else if (text[at] === '*' && text[at + 1] === '/') {
      at++
      if (--depth === 0) return at + 1
    }
  }
  return text.length
}

const BLANKS = ' \t\n\r\f\v'

/**
 * Returns the index of the opening quote if another string continues the string that ended at `from`, else undefined. PostgreSQL joins two
 * strings if only white space with a line break is between them. After the line break, `--` comments are also allowed.
 */
function continuation(text: string, from: number): number | undefined {
  let broken = false
  for (let at = from; at < text.length; at++) {
    const char = text[at]!
    if (char === '\n' || char === '\r') broken = true
    else if (broken && char === "'") return at
    else if (broken && char === '-' && text[at + 1] === '-') at = endOfLine(text, at, LINE_BREAKS) - 1
    else if (!BLANKS.includes(char)) return undefined
  }
  return undefined
}

/** Returns the end of an `E'…'` string, including its continuations on later lines, in which backslashes are also escapes. */
function endOfEscapeString(text: string, from: number): number {
  let end = endOfBackslashQuote(text, from, "'")
  for (let next = continuation(text, end); next !== undefined; next = continuation(text, end))
    end = endOfBackslashQuote(text, next, "'")
  return end
}

/** Returns the dollar quote that begins at `from`: `$$` or `$tag$`. */
export function dollarQuoteAt(text: string, from: number): string | undefined {
  if (text[from + 1] === '$') return '$$'
  DOLLAR_QUOTE.lastIndex = from
  return DOLLAR_QUOTE.exec(text)?.[0]
}

export const postgresqlScanner: SqlScanner = {
  scan(text, on) {
    for (let at = 0; at < text.length; ) {
      const from = at
      const char = text[at]!
      if (char === "'") {
        at = endOfDoubledQuote(text, from, "'")
        on("'", from, at, false)
      } else if (char === '"') {
        at = endOfDoubledQuote(text, from, '"')
        on('"', from, at, false)
      } else if (char === ';') {
        on(';', from, ++at, false)
      } else if (char === '-' && text[at + 1] === '-') {
        at = endOfLine(text, from, LINE_BREAKS)
        on('comment', from, at, false)
      } else if (char === '/' && text[at + 1] === '*') {
        at = endOfComment(text, from)
        on('comment', from, at, false)
      } else if (char === '$') {
        const quote = dollarQuoteAt(text, from)
        if (quote === undefined) at++
        else {
          const end = text.indexOf(quote, from + quote.length)
          at = end < 0 ? text.length : end + quote.length
          on('$', from, at, false)
        }
      } else if (beginsIdentifier(char)) {
        at = endOfIdentifier(text, from)
        const single = at === from + 1
        const unicode =
          single && (char === 'u' || char === 'U') && text[at] === '&' && (text[at + 1] === "'" || text[at + 1] === '"')
        if (single && (char === 'e' || char === 'E') && text[at] === "'") {
          const quote = at
          at = endOfEscapeString(text, quote)
          on("'", quote, at, true)
        } else if (unicode) {
          const quote = at + 1
          const kind = text[quote] as "'" | '"'
          at = endOfDoubledQuote(text, quote, kind)
          on(kind, quote, at, true)
        }
      } else at++
    }
  },
}
