/**
 * How a database reads a text of statements.
 */

/**
 * A stretch of text that is no plain code: within one of the quotes, within dollar quotes, a comment, or the semicolon that ends a statement.
 */
export type SqlToken = "'" | '"' | '`' | '$' | 'comment' | ';'

/**
 * @param from Where it begins, quote included.
 * @param to Behind its last character, quote included; the end of the text where nothing closes it.
 * @param backslash Whether a backslash between the quotes has to be doubled to stand for itself.
 */
export type OnSqlToken = (stretch: SqlToken, from: number, to: number, backslash: boolean) => void

export interface SqlScanner {
  /** Tells of every stretch, in order. Takes time proportional to the length of the text. */
  scan(text: string, on: OnSqlToken): void
}

/** Behind the quote that ends what begins at `from`; a doubled quote does not. */
export function endOfDoubledQuote(text: string, from: number, quote: string): number {
  for (let at = from + 1; ; at += 2) {
    at = text.indexOf(quote, at)
    if (at < 0) return text.length
    if (text[at + 1] !== quote) return at + 1
  }
}

/** The same where a backslash takes the meaning of the character after it. */
export function endOfBackslashQuote(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === quote) {
      if (text[at + 1] !== quote) return at + 1
      at++
    }
  }
  return text.length
}

/** The end of the line, its line break not included. @param breaks The characters that are one. */
export function endOfLine(text: string, from: number, breaks: string): number {
  let at = from
  while (at < text.length && !breaks.includes(text[at]!)) at++
  return at
}
