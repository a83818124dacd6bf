/**
 * Names that the originals have for parameters and results of the documents (DESIGN: naming).
 */
import { memberOf, WideObject } from '../json/wide-object.ts'
import type { Fields } from './field.ts'
import { fieldList, type Values } from './parse.ts'

/** The documents' name and the original's, of the fields that have one. */
type Pairs = readonly (readonly [string, string])[]

const known = new WeakMap<Fields, Pairs>()

function pairsOf(fields: Fields): Pairs {
  const found = known.get(fields)
  if (found) return found
  const pairs = fieldList(fields).flatMap(([name, { original }]) => (original === undefined ? [] : [[name, original] as const]))
  known.set(fields, pairs)
  return pairs
}

/** The parameters as sent, under the documents' names. Where both names were sent the document's counts. */
export function byOwnNames(fields: Fields, sent: Values): Values {
  const pairs = pairsOf(fields)
  // No client of the originals sends a body of many thousand members.
  if (pairs.length === 0 || sent instanceof WideObject) return sent
  const renamed: Record<string, unknown> = { ...sent }
  for (const [name, original] of pairs) {
    const value = memberOf(sent, original)
    if (value === undefined) continue
    delete renamed[original]
    renamed[name] = memberOf(sent, name) ?? value
  }
  return renamed
}

/** A result under both names. */
export function withOriginalNames(fields: Fields, result: Values): Values {
  const pairs = pairsOf(fields)
  if (pairs.length === 0) return result
  const both: Record<string, unknown> = { ...result }
  for (const [name, original] of pairs) if (result[name] !== undefined) both[original] = result[name]
  return both
}
