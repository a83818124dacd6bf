/**
 * JSON for signed texts: anything that two readers could understand differently is refused.
 */
import { fromUtf8 } from '../base/bytes.ts'
import { finish } from '../base/steps.ts'
import { isPlain } from './json.ts'
import { BODY_LIMITS, jsonError } from './json-cursor.ts'
import { readJson } from './json-reader.ts'

/**
 * The value of a short text, in one go. Values are as bodies have them, but `null` is null, and objects that have a name twice and texts
 * without a value are refused.
 * @param levels Most of nesting.
 * @throws KernelError (400) `error parsing JSON: ... at byte N`
 */
export function parseJsonStrictly(bytes: Uint8Array, levels: number): unknown {
  const native = isPlain(bytes) ? parseNatively(bytes, levels) : undefined
  if (native !== undefined) return native
  const value = finish(readJson(bytes, { ...BODY_LIMITS, levels, repeatedNames: false }))
  if (value === undefined) throw jsonError('a value is missing', bytes.length)
  return value
}

/**
 * Native parsing keeps the last of members with one name, so there are fewer members than names. Undefined where the reader has to
 * decide.
 */
function parseNatively(bytes: Uint8Array, levels: number): unknown {
  try {
    const value: unknown = JSON.parse(fromUtf8(bytes))
    return membersIn(value, levels) === namesIn(bytes) ? value : undefined
  } catch {
    // The reader finds the mistake again and says where, without quoting the text as native messages do.
    return undefined
  }
}

/** Members of all objects in a value; NaN where it is nested too deeply. */
function membersIn(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (levels === 0) return Number.NaN
  const parts: readonly unknown[] = Object.values(value)
  let members = Array.isArray(value) ? 0 : parts.length
  for (const part of parts) members += membersIn(part, levels - 1)
  return members
}

/** Names in a text that is known to be JSON: the colons outside of texts. */
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
