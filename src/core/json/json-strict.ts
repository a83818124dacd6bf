/** Parses JSON in signed texts. Refuses everything that two parsers could interpret differently. */
import { fromUtf8 } from '../base/bytes.ts'
import { runToEnd } from '../base/steps.ts'
import { isPlain } from './json.ts'
import { BODY_LIMITS, jsonError } from './json-cursor.ts'
import { readJson } from './json-reader.ts'

/**
 * Parses a short text in one step. In contrast to request bodies, the text `null` returns null, and empty texts and repeated names are
 * refused.
 * @param levels The maximum number of levels of nesting.
 * @throws KernelError 400 `error parsing JSON: ... at byte N`
 */
export function parseJsonStrictly(bytes: Uint8Array, levels: number): unknown {
  const native = isPlain(bytes) ? parseNatively(bytes, levels) : undefined
  if (native !== undefined) return native
  const value = runToEnd(readJson(bytes, { ...BODY_LIMITS, levels, repeatedNames: false }))
  if (value === undefined) throw jsonError('a value is missing', bytes.length)
  return value
}

/**
 * Parses with `JSON.parse`. Returns undefined after an error or if a name is repeated; the JSON reader then parses the text. A repeated name
 * is detected because `JSON.parse` keeps only its last value, so the result has fewer members than the text has names.
 */
function parseNatively(bytes: Uint8Array, levels: number): unknown {
  try {
    const value: unknown = JSON.parse(fromUtf8(bytes))
    return membersIn(value, levels) === namesIn(bytes) ? value : undefined
  } catch {
    // Ignore this error, because its message may quote the text. The reader will find the error again and report its position.
    return undefined
  }
}

/** The number of members in all objects of a value. NaN if the nesting is too deep. */
function membersIn(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (levels === 0) return Number.NaN
  const parts: readonly unknown[] = Object.values(value)
  let members = Array.isArray(value) ? 0 : parts.length
  for (const part of parts) members += membersIn(part, levels - 1)
  return members
}

/** The number of names in a valid JSON text. Counts the colons outside of strings. */
function namesIn(bytes: Uint8Array): number {
  let names = 0
  let inText = false
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at]
    if (c === 0x22) inText = !inText
    else if (c === 0x5c) at++
    else if (c === 0x3a && !inText) names++
  }
  return names
}
