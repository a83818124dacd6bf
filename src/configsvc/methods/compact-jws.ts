/** Recognizes the form of a JSON Web Token that another system will verify. */
import { texts } from '../../core/base/texts.ts'
import { parseJsonStrictly } from '../../core/json/json-strict.ts'
import { MAX_REVIEWER_TOKEN_CHARACTERS } from '../../core/jwt/review-config.ts'

const COMPACT = /^([\w-]+)\.[\w-]+\.[\w-]*$/
/** This is enough, because only an embedded key (`jwk`) nests values in a header. */
const MAX_HEADER_DEPTH = 8

/**
 * Returns the token without surrounding white space; undefined if it does not have the form of a token. Only the form is validated, so any
 * algorithm is accepted.
 */
export function compactJws(text: string): string | undefined {
  if (text.length > MAX_REVIEWER_TOKEN_CHARACTERS) return undefined
  const token = text.trim()
  const header = COMPACT.exec(token)?.[1]
  return header !== undefined && isObject(header) ? token : undefined
}

function isObject(part: string): boolean {
  try {
    const value = parseJsonStrictly(texts.fromBase64(part), MAX_HEADER_DEPTH)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
