/** Maps Vault's names of parameters and results to the names in this API, where they differ. */
import { KernelError } from '../base/errors.ts'
import { memberOf, WideObject } from '../json/wide-object.ts'
import type { Fields } from './field.ts'
import { fieldList, type Values } from './parse.ts'
import { wordMeant } from './text-fields.ts'

/** Pairs of names, one for each field that has two names: the name in this API and the name in Vault. */
type Pairs = readonly (readonly [string, string])[]

const known = new WeakMap<Fields, Pairs>()

function pairsOf(fields: Fields): Pairs {
  const found = known.get(fields)
  if (found) return found
  const pairs = fieldList(fields).flatMap(([name, { original }]) => (original === undefined ? [] : [[name, original] as const]))
  known.set(fields, pairs)
  return pairs
}

const aliased = new WeakMap<Fields, readonly string[]>()

/** The names of the parameters that accept aliases as values. */
function aliasedIn(fields: Fields): readonly string[] {
  const found = aliased.get(fields) ?? fieldList(fields).flatMap(([name, { aliases }]) => (aliases ? [name] : []))
  aliased.set(fields, found)
  return found
}

/**
 * Returns the parameters under this API's names, and replaces aliases of words. If a parameter was sent under both names, the value under
 * this API's name is used.
 */
export function byCanonicalNames(fields: Fields, sent: Values): Values {
  const pairs = pairsOf(fields)
  const words = aliasedIn(fields)
  // A very large object is returned unchanged, because Vault's clients never send bodies with thousands of members.
  if ((pairs.length === 0 && words.length === 0) || sent instanceof WideObject) return sent
  const own: Record<string, unknown> = { ...sent }
  for (const name of words) {
    const word = own[name]
    if (typeof word === 'string') own[name] = wordMeant(fields[name]?.aliases, word)
  }
  for (const [name, original] of pairs) {
    const value = memberOf(sent, original)
    if (value === undefined) continue
    delete own[original]
    own[name] = memberOf(sent, name) ?? value
  }
  return own
}

/** Changes an error so that it names the parameters as they were sent. */
export function errorBySentNames(fields: Fields, sent: Values, refusal: unknown): unknown {
  for (const [name, original] of pairsOf(fields))
    if (memberOf(sent, original) !== undefined && memberOf(sent, name) === undefined)
      refusal = withParameterName(refusal, name, original)
  return refusal
}

/** If the error names this parameter, returns the error with another name of the parameter. Returns other errors unchanged. */
export function withParameterName(refusal: unknown, name: string, sent: string): unknown {
  if (!(refusal instanceof KernelError) || !new RegExp(`^${name}(?!\\w)`).test(refusal.message)) return refusal
  const { code, message, details } = refusal
  return new KernelError(code, sent + message.slice(name.length).replaceAll(`'${name}'`, `'${sent}'`), {
    details,
    cause: refusal.cause,
  })
}

/** Returns the result with each value under both names. */
export function withVaultNames(fields: Fields, result: Values): Values {
  const pairs = pairsOf(fields)
  if (pairs.length === 0) return result
  const both: Record<string, unknown> = { ...result }
  for (const [name, original] of pairs) if (result[name] !== undefined) both[original] = result[name]
  return both
}
