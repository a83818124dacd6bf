/** Reads mapped claims as strings and lists of strings, as Consul does. */
import { refuseLogin } from '../../core/contract/login-refusal.ts'
import { memberOf } from '../../core/json/wide-object.ts'
import type { Claims } from '../../core/jwt/jwt.ts'

/** Maps a claim, given by its name or by a JSON pointer (RFC 6901), to the name under which selectors and templates use it. */
export type ClaimMapping = Readonly<Record<string, string>>

/**
 * Returns the mapped claims that the token contains, keyed by the names to which they are mapped.
 * @throws KernelError 403 (`claims-malformed`) if such a claim is a list, an object or null
 */
export function claimValues(claims: Claims, mapping: ClaimMapping): Readonly<Record<string, string>> {
  return mapClaims(claims, mapping, textOf)
}

/**
 * Like {@link claimValues}, but returns lists. A single value counts as a list with one element; empty strings are omitted.
 * @throws KernelError 403 (`claims-malformed`) if a claim or an element of a list is an object or null, or if a list contains a list
 */
export function claimLists(claims: Claims, mapping: ClaimMapping): Readonly<Record<string, readonly string[]>> {
  return mapClaims(claims, mapping, (value) => (Array.isArray(value) ? value : [value]).map(textOf).filter((text) => text !== ''))
}

/** A claim can be mapped to the name `__proto__`: `Object.fromEntries` creates an own member for this name, unlike an assignment. */
function mapClaims<T>(claims: Claims, mapping: ClaimMapping, read: (value: unknown) => T): Readonly<Record<string, T>> {
  const found = Object.entries(mapping).map(([source, target]) => [target, claimAt(claims, source)] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined).map(([target, value]) => [target, read(value)]))
}

/** Undefined if the token does not contain the claim. */
function claimAt(claims: Claims, source: string): unknown {
  if (!source.startsWith('/')) return memberOf(claims, source)
  let at: unknown = claims
  for (const step of source.slice(1).split('/')) at = memberAt(at, step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return at
}

const INDEX = /^(0|[1-9]\d*)$/

function memberAt(at: unknown, step: string): unknown {
  if (typeof at !== 'object' || at === null) return undefined
  if (Array.isArray(at)) return INDEX.test(step) ? at[Number(step)] : undefined
  return memberOf(at, step)
}

/** Fractions are truncated. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return `${value}`
  // Large doubles are converted to bigints first, because they would be printed with an exponent.
  if (typeof value === 'number') return `${BigInt(Math.trunc(value))}`
  throw refuseLogin('claims-malformed')
}
