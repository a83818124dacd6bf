import { invalidFailure } from './failure.ts'
import { endOfBackslashQuote, type SqlScanner } from './sql-scanner.ts'

/** The maximum number of queries in the statements of one role. It is limited, because each query is a round trip. */
const MAX_QUERIES = 1000

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const STRICT_UTF8 = { fatal: true, ignoreBOM: true }
/**
 * A decoded text counts as a statement only if it contains one of these characters. A single SQL word may be valid base64 by chance, but
 * the bytes decoded from it are almost never text with one of these characters.
 */
const STATEMENT_CHARACTER = /[\s[{]/
const CONTROL_CHARACTER = /[^\P{Cc}\t\n\r]/u

/** Returns the trimmed statement. If the whole statement is the base64 encoding of a text, it is decoded. */
export function decodeStatement(statement: string): string {
  if (statement.includes('\0')) throw invalidFailure('statements: must not contain a NUL character')
  const text = statement.trim()
  if (text.length % 4 !== 0 || !BASE64.test(text)) return text
  try {
    const decoded = new TextDecoder('utf-8', STRICT_UTF8).decode(Buffer.from(text, 'base64'))
    return CONTROL_CHARACTER.test(decoded) || !STATEMENT_CHARACTER.test(decoded) ? text : decoded.trim()
  } catch {
    return text
  }
}

const LIST_SEPARATORS = ' \t\n\r,]'

/** Whether a JSON text is a flat list of strings. This is checked before parsing, because `JSON.parse` is slow for deeply nested input. */
function isFlatStringList(text: string): boolean {
  for (let at = 1; at < text.length; ) {
    if (text[at] === '"') at = endOfBackslashQuote(text, at, '"')
    else if (LIST_SEPARATORS.includes(text[at]!)) at++
    else return false
  }
  return true
}

/** Returns the queries of a statement that is a JSON list of strings, else undefined. */
function parseJsonList(text: string): readonly string[] | undefined {
  if (!text.startsWith('[') || !isFlatStringList(text)) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined
  } catch {
    return undefined
  }
}

/** Splits at the semicolons that end a statement, and omits queries that consist of white space and comments only. */
function splitAtSemicolons(text: string, scanner: SqlScanner, add: (query: string) => void): void {
  let from = 0
  let code = false
  let seen = 0
  const look = (to: number): void => {
    code ||= text.slice(seen, to).trim() !== ''
  }
  scanner.scan(text, (token, start, end) => {
    if (!code) look(start)
    if (token === ';') {
      if (code) add(text.slice(from, start).trim())
      from = end
      code = false
    } else if (token !== 'comment') code = true
    seen = end
  })
  if (!code) look(text.length)
  if (code) add(text.slice(from).trim())
}

/**
 * Returns the queries of a role's statements, to be sent one by one.
 * @throws DatabaseError `invalid` for a NUL character, and for more than 1,000 queries.
 */
export function splitStatements(statements: readonly string[], scanner: SqlScanner): readonly string[] {
  const queries: string[] = []
  const add = (query: string): void => {
    if (queries.length === MAX_QUERIES) throw invalidFailure(`statements: must be at most ${MAX_QUERIES} queries`)
    queries.push(query)
  }
  for (const statement of statements) {
    const text = decodeStatement(statement)
    const list = parseJsonList(text)
    if (list === undefined) splitAtSemicolons(text, scanner, add)
    else
      for (const item of list) {
        if (item.includes('\0')) throw invalidFailure('statements: must not contain a NUL character')
        if (item.trim() !== '') add(item.trim())
      }
  }
  return queries
}
