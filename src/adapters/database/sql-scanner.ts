/**
 * A lexical token of SQL that is not plain code: a quoted string or name (represented by its quote), a dollar-quoted block (`$`), a comment, or a
 * semicolon that ends a statement.
 */
export type SqlToken = "'" | '"' | '`' | '$' | 'comment' | ';'

/**
 * @param from The index of the token's first character, including the quote.
 * @param to The index after its last character, including the quote. The end of the text if the token is not closed.
 * @param backslash Whether a backslash between the quotes is an escape character.
 */
export type OnSqlToken = (token: SqlToken, from: number, to: number, backslash: boolean) => void

export interface SqlScanner {
  /** Calls `on` for every token, in order. Takes time proportional to the length of the text. */
  scan(text: string, on: OnSqlToken): void
}

/** Returns the index after the closing quote of the string that begins at `from`. A doubled quote does not close it. */
export function endOfDoubledQuote(text: string, from: number, quote: string): number {
  for (let at = from + 1; ; at += 2) {
    at = text.indexOf(quote, at)
    if (at < 0) return text.length
    if (text[at + 1] !== quote) return at + 1
  }
}

/** Like {@link endOfDoubledQuote}, for strings in which a backslash escapes the next character. */
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

/** Returns the index of the next line break. @param breaks The characters that count as line breaks. */
export function endOfLine(text: string, from: number, breaks: string): number {
  let at = from
  while (at < text.length && !breaks.includes(text[at]!)) at++
  return at
}
