/**
 * Checks placeholders in quotes inside a string literal. The string may be code for the database (`EXECUTE 'CREATE ROLE "{{name}}"'`,
 * `PREPARE s FROM '…'`) or text that only looks like code. Code and text need different escapes, so a value that needs an escape is
 * refused.
 */
import { invalidFailure } from './failure.ts'
import type { SqlScanner } from './sql-scanner.ts'

/** The maximum depth of strings inside strings. In deeper strings, every value must be harmless as unquoted code. */
const MAX_LEVELS = 8

/** Characters that could end a quoted string of any level, or change the meaning of the next character. */
const HAS_QUOTE = /['"`\\\p{Cc}]/u
/**
 * A value that cannot do harm as code: it can only be a part of a name or number, or a syntax error. Two dashes are excluded, because they
 * would begin a comment.
 */
const HARMLESS_CODE = /^(?!.*--)[\p{L}\p{N}_.:@+-]*$/u
/** The value of this placeholder contains only digits, signs and a space, so it is always harmless. */
const EXPIRATION_PLACEHOLDER = '{{expiration}}'

export interface NestedValue {
  readonly placeholder: string
  readonly value: string
}

/** A string literal of a statement. */
export interface StringLiteral {
  /** The text between the quotes. */
  readonly content: string
  readonly quote: string
  /** Whether a backslash is an escape character in the string. */
  readonly backslash: boolean
  /** Whether the statement concatenates the string with other strings. */
  readonly isJoined: boolean
}

const nestedQuoteError = (placeholder: string): Error =>
  invalidFailure(
    `${placeholder} is in quotes inside a string, and its value cannot be escaped for both levels of quotes; use format() or QUOTE() there`,
  )

function assertCode({ placeholder, value }: NestedValue): void {
  if (placeholder !== EXPIRATION_PLACEHOLDER && !HARMLESS_CODE.test(value)) throw nestedQuoteError(placeholder)
}

function assertQuoted({ placeholder, value }: NestedValue): void {
  if (HAS_QUOTE.test(value)) throw nestedQuoteError(placeholder)
}

/**
 * Refuses a value that could end a quoted part of the string, in case the string is code. A string that consists of one placeholder only is
 * treated as text.
 * @param values Returns the values of the placeholders in a text.
 * @throws DatabaseError `invalid` if a value is refused.
 */
export function assertNestedQuotes(
  literal: StringLiteral,
  scanner: SqlScanner,
  values: (text: string) => readonly NestedValue[],
  level = 0,
): void {
  const { content, quote, backslash, isJoined } = literal
  const found = values(content)
  const isValue = found.length === 1 && found[0]?.placeholder === content
  if (found.length === 0 || (isValue && !isJoined)) return
  // In these strings it is unknown which parts are quoted, so every value must be harmless as unquoted code. An escape sequence can produce
  // any character, including a quote, and a concatenated string continues in the next string.
  if (level === MAX_LEVELS || isJoined || (backslash && content.includes('\\'))) {
    found.forEach(assertCode)
    return
  }
  const text = content.replaceAll(quote + quote, quote)
  let done = 0
  scanner.scan(text, (token, from, to, escapes) => {
    if (token === ';') return
    values(text.slice(done, from)).forEach(assertCode)
    done = to
    const inside = text.slice(from, to)
    if (token === 'comment' || token === '$') return void values(inside).forEach(assertCode)
    values(inside).forEach(assertQuoted)
    const next = {
      content: inside.slice(1, inside.endsWith(token) ? -1 : undefined),
      quote: token,
      backslash: escapes,
      isJoined: false,
    }
    assertNestedQuotes(next, scanner, values, level + 1)
  })
  values(text.slice(done)).forEach(assertCode)
}

/** A call of `concat` whose parenthesis is still open. */
const OPEN_CONCAT = /\bconcat(?:_ws)?\s*\([^()]*$/i
/** The number of characters before and after a string in which concatenation is searched for. */
const MAX_LOOKAROUND_CHARACTERS = 200

const endsJoined = (before: string): boolean => /(?:'|"|\|\|)$/.test(before) || OPEN_CONCAT.test(before)
const beginsJoined = (after: string): boolean => /^(?:'|"|\|\|)/.test(after)

/** Whether the string from `from` to `to` is concatenated with others: by adjacency, by the operator `||`, or by a call of `concat`. */
export const isJoinedString = (text: string, from: number, to: number): boolean =>
  endsJoined(text.slice(Math.max(0, from - MAX_LOOKAROUND_CHARACTERS), from).trimEnd()) ||
  beginsJoined(text.slice(to, to + MAX_LOOKAROUND_CHARACTERS).trimStart())
