import { invalidFailure } from './failure.ts'
import { assertNestedQuotes, isJoinedString, type NestedValue } from './nested-quotes.ts'
import { dollarQuoteAt } from './postgresql-scanner.ts'
import type { SqlScanner } from './sql-scanner.ts'

/** The values of placeholders such as `{{name}}`. A placeholder without a value stays in the text. */
export interface PlaceholderValues {
  readonly name?: string
  readonly username?: string
  readonly password?: string
  readonly expiration?: string
}

const PLACEHOLDER = /\{\{(name|username|password|expiration)\}\}/g
/** Outside quotes, only a word or a number is safe to insert. */
const WORD = /^[\p{L}\p{N}_]+$/u
/** The maximum depth of nested dollar-quoted blocks. It bounds the time, because the content of each nested block is scanned again. */
const MAX_DOLLAR_QUOTE_DEPTH = 4

/** The dollar-quote tag that this module gives to a block if the original tag occurs in a value. */
const GENERATED_TAG = /\$block(\d{1,9})(?=\$|$)/g

/** Returns the placeholders in a text to which `values` assigns a value. */
const valuesIn = (text: string, values: PlaceholderValues): readonly NestedValue[] =>
  [...text.matchAll(PLACEHOLDER)].flatMap(([placeholder, key]) => {
    const value = values[key as keyof PlaceholderValues]
    return value === undefined ? [] : [{ placeholder, value }]
  })

type Escape = (value: string, placeholder: string) => string

const replacePlaceholders = (text: string, values: PlaceholderValues, insert: Escape): string =>
  text.includes('{{')
    ? text.replace(PLACEHOLDER, (placeholder, key: keyof PlaceholderValues) => {
        const value = values[key]
        return value === undefined ? placeholder : insert(value, placeholder)
      })
    : text

const unquoted: Escape = (value, placeholder) => {
  if (!WORD.test(value)) throw invalidFailure(`${placeholder}: must be in quotes, since its value is not a word or number`)
  return value
}

const quoted =
  (quote: string, backslash: boolean): Escape =>
  (value) =>
    (backslash ? value.replaceAll('\\', '\\\\') : value).replaceAll(quote, quote + quote)

/**
 * Replaces placeholders with their values, escaped for the quotes around the placeholder.
 * @param text One or more queries.
 * @throws DatabaseError `invalid` if a value contains a NUL character, if an unquoted placeholder has a value that needs quotes, if a
 * placeholder in quotes inside a string has a value that needs an escape, or if a placeholder is in more than 4 nested dollar quotes.
 */
export function substitute(text: string, scanner: SqlScanner, values: PlaceholderValues, depth = 0): string {
  if (!text.includes('{{')) return text
  for (const value of Object.values(values))
    if (value?.includes('\0')) throw invalidFailure('username, password: must not contain a NUL character')
  let result = ''
  let done = 0
  scanner.scan(text, (token, from, to, backslash) => {
    if (token === ';') return
    result += replacePlaceholders(text.slice(done, from), values, unquoted)
    done = to
    const inside = text.slice(from, to)
    if (token === 'comment' || !inside.includes('{{')) result += inside
    else if (token === '$') result += dollarQuoted(inside, scanner, values, depth)
    else {
      // A string literal may contain code; a quoted name cannot.
      if (token === "'" || backslash) {
        const content = inside.slice(1, inside.length > 1 && inside.endsWith(token) ? -1 : undefined)
        const literal = { content, quote: token, backslash, isJoined: isJoinedString(text, from, to) }
        assertNestedQuotes(literal, scanner, (part) => valuesIn(part, values))
      }
      result += replacePlaceholders(inside, values, quoted(token, backslash))
    }
  })
  return result + replacePlaceholders(text.slice(done), values, unquoted)
}

/**
 * Replaces the placeholders in a dollar-quoted block. Such a block has no escapes, so if a value would end the block, the block gets
 * another tag.
 */
function dollarQuoted(block: string, scanner: SqlScanner, values: PlaceholderValues, depth: number): string {
  if (depth === MAX_DOLLAR_QUOTE_DEPTH)
    throw invalidFailure(`statements: placeholders may be in at most ${MAX_DOLLAR_QUOTE_DEPTH} nested dollar quotes`)
  const quote = dollarQuoteAt(block, 0)!
  const open = block.length < 2 * quote.length || !block.endsWith(quote)
  const content = substitute(block.slice(quote.length, open ? undefined : -quote.length), scanner, values, depth + 1)
  if (open) return quote + content
  if ((content + quote).indexOf(quote) === content.length) return quote + content + quote
  const taken = [...content.matchAll(GENERATED_TAG)].map(([, n]) => Number(n))
  const free = `$block${taken.reduce((most, n) => Math.max(most, n), -1) + 1}$`
  return free + content + free
}
