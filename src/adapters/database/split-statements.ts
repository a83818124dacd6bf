/**
 * From the statements of a role to the texts that are sent one by one.
 */
import { invalidFailure } from './failure.ts'
import { endOfBackslashQuote, type SqlScanner } from './sql-scanner.ts'

/** More than anybody writes by hand; each is a round trip. */
const MAX_QUERIES = 1000

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const STRICT_UTF8 = { fatal: true, ignoreBOM: true }
/** Words of SQL may look like base64, yet what they decode to is hardly ever text, and never holds one of these. */
const STATEMENT_CHARACTER = /[\s[{]/
const CONTROL_CHARACTER = /[^\P{Cc}\t\n\r]/u

/** A statement as it was meant: trimmed, and decoded where the whole of it is base64 of a text. */
export function decodeStatement(statement: string): string {
  if (statement.includes('\0')) throw invalidFailure('a statement holds a NUL character')
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

/** Whether nothing but blanks, commas and the end stands between the texts of a list. Deep nesting would take a parser long. */
function holdsOnlyTexts(text: string): boolean {
  for (let at = 1; at < text.length; ) {
    if (text[at] === '"') at = endOfBackslashQuote(text, at, '"')
    else if (LIST_SEPARATORS.includes(text[at]!)) at++
    else return false
  }
  return true
}

/** A JSON list of texts holds its queries divided already. */
function parseJsonList(text: string): readonly string[] | undefined {
  if (!text.startsWith('[') || !holdsOnlyTexts(text)) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined
  } catch {
    return undefined
  }
}

/** Divides at the semicolons that end a statement. What holds nothing but blanks and comments is left out. */
function splitAtSemicolons(text: string, lexis: SqlScanner, add: (query: string) => void): void {
  let from = 0
  let code = false
  let seen = 0
  const look = (to: number): void => {
    code ||= text.slice(seen, to).trim() !== ''
  }
  lexis.scan(text, (stretch, start, end) => {
    if (!code) look(start)
    if (stretch === ';') {
      if (code) add(text.slice(from, start).trim())
      from = end
      code = false
    } else if (stretch !== 'comment') code = true
    seen = end
  })
  if (!code) look(text.length)
  if (code) add(text.slice(from).trim())
}

/** @throws DatabaseError `invalid` for a NUL character and for more than 1,000 queries. */
export function splitStatements(statements: readonly string[], lexis: SqlScanner): readonly string[] {
  const queries: string[] = []
  const add = (query: string): void => {
    if (queries.length === MAX_QUERIES) throw invalidFailure(`more than ${MAX_QUERIES} statements`)
    queries.push(query)
  }
  for (const statement of statements) {
    const text = decodeStatement(statement)
    const list = parseJsonList(text)
    if (list === undefined) splitAtSemicolons(text, lexis, add)
    else
      for (const item of list) {
        if (item.includes('\0')) throw invalidFailure('a statement holds a NUL character')
        if (item.trim() !== '') add(item.trim())
      }
  }
  return queries
}
