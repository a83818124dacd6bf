/**
 * Values within quotes that are themselves within a string. Such a string may be code for the database (`EXECUTE 'CREATE ROLE "{{name}}"'`,
 * `PREPARE s FROM '…'`) or only text that looks like it. The two need different escapes, so a value that would need one is refused.
 */
import { invalidFailure } from './failure.ts'
import type { SqlScanner } from './sql-scanner.ts'

/** Deeper nesting is treated as code of an unknown kind. */
const MAX_LEVELS = 8

/** No quote of any level, and nothing that changes what the next character means. */
const HAS_QUOTE = /['"`\\\p{Cc}]/u
/** As code, such a value is part of a name or a number, or an error; two dashes would begin a comment. */
const HARMLESS_CODE = /^(?!.*--)[\p{L}\p{N}_.:@+-]*$/u
/** Made by us: digits, signs and a blank. */
const EXPIRATION_PLACEHOLDER = '{{expiration}}'

export interface NestedValue {
  readonly placeholder: string
  readonly value: string
}

/** A string of a statement. */
export interface StringLiteral {
  /** Between its quotes. */
  readonly content: string
  readonly quote: string
  /** Whether backslashes have a meaning in it. */
  readonly backslash: boolean
  /** The statement joins it with other strings. */
  readonly isJoined: boolean
}

const nestedQuoteError = (placeholder: string): Error =>
  invalidFailure(
    `${placeholder} stands within quotes in a string, where its value cannot be escaped for both; use format or QUOTE there`,
  )

function assertCode({ placeholder, value }: NestedValue): void {
  if (placeholder !== EXPIRATION_PLACEHOLDER && !HARMLESS_CODE.test(value)) throw nestedQuoteError(placeholder)
}

function assertQuoted({ placeholder, value }: NestedValue): void {
  if (HAS_QUOTE.test(value)) throw nestedQuoteError(placeholder)
}

/**
 * Refuses a value that could end something inside of the string, if the string were code. A string that is nothing but the placeholder is taken for a
 * value.
 * @param values The values of the placeholders in a text.
 * @throws DatabaseError `invalid`
 */
export function assertNestedQuotes(
  literal: StringLiteral,
  lexis: SqlScanner,
  values: (text: string) => readonly NestedValue[],
  level = 0,
): void {
  const { content, quote, backslash, isJoined } = literal
  const found = values(content)
  const isValue = found.length === 1 && found[0]?.placeholder === content
  if (found.length === 0 || (isValue && !isJoined)) return
  // Escapes can write any character, also a quote; joined strings continue each other.
  if (level === MAX_LEVELS || isJoined || (backslash && content.includes('\\'))) {
    found.forEach(assertCode)
    return
  }
  const text = content.replaceAll(quote + quote, quote)
  let done = 0
  lexis.scan(text, (stretch, from, to, escapes) => {
    if (stretch === ';') return
    values(text.slice(done, from)).forEach(assertCode)
    done = to
    const inside = text.slice(from, to)
    if (stretch === 'comment' || stretch === '$') return void values(inside).forEach(assertCode)
    values(inside).forEach(assertQuoted)
    const next = {
      content: inside.slice(1, inside.endsWith(stretch) ? -1 : undefined),
      quote: stretch,
      backslash: escapes,
      isJoined: false,
    }
    assertNestedQuotes(next, lexis, values, level + 1)
  })
  values(text.slice(done)).forEach(assertCode)
}

/** A call of `concat` that is still open. */
const OPEN_CONCAT = /\bconcat(?:_ws)?\s*\([^()]*$/i
/** As far as is looked for what joins two strings. */
const MAX_LOOKAROUND_CHARACTERS = 200

const endsJoined = (before: string): boolean => /(?:'|"|\|\|)$/.test(before) || OPEN_CONCAT.test(before)
const beginsJoined = (after: string): boolean => /^(?:'|"|\|\|)/.test(after)

/** Whether the string from `from` to `to` is joined with others: next to another string, by the operator, or by a call. */
export const isJoinedString = (text: string, from: number, to: number): boolean =>
  endsJoined(text.slice(Math.max(0, from - MAX_LOOKAROUND_CHARACTERS), from).trimEnd()) ||
  beginsJoined(text.slice(to, to + MAX_LOOKAROUND_CHARACTERS).trimStart())
