/** Checks the restrictions that a rule has besides its capabilities: wrapping and parameters. */

import { quoteText } from '../hcl/index.ts'
import { memberNames, memberOf } from '../json/wide-object.ts'
import type { AclOperation, AclRequest, SentParameters } from './acl.ts'
import type { CompiledRule } from './compiled-rule.ts'
import type { PolicyValue } from './policy.ts'

/** The operations for which parameters are checked. */
const WITH_PARAMETERS: readonly AclOperation[] = ['create', 'read', 'update', 'patch']

/**
 * Returns the reason why a rule refuses a request although it grants the operation, or undefined if it does not refuse the request. The
 * caller appends the name of the rule to the returned text. The restrictions are checked in Vault's order.
 */
export function violatedRestriction(rule: CompiledRule, request: AclRequest): string | undefined {
  const { minWrappingTtl: min, maxWrappingTtl: max, allowed, denied, required } = rule
  if (min > 0 || max > 0) {
    const ttl = request.wrapTtl ?? 0
    if (!(ttl > 0)) return 'a wrapped answer is required'
    if (min > 0 && ttl < min) return `a wrapping TTL of at least ${min} seconds is required`
    if (max > 0 && ttl > max) return `a wrapping TTL of at most ${max} seconds is required`
  }
  if (!WITH_PARAMETERS.includes(request.operation)) return undefined
  const sent: SentParameters = request.parameters ?? {}
  for (const names of required)
    for (const name of names) if (memberOf(sent, name) === undefined) return `parameter ${quoteText(name)} is required`
  if (!denied && !allowed) return undefined
  const deniesAll = denied?.has('*') === true
  const allowsAll = allowed === undefined || allowed.has('*')
  for (const name of memberNames(sent)) {
    if (deniesAll) return 'every parameter is denied'
    const known = name.toLowerCase()
    const refused = denied?.get(known)
    if (refused && holds(refused, memberOf(sent, name))) return `parameter ${quoteText(name)} is denied`
    const accepted = allowed?.get(known)
    if (accepted ? !holds(accepted, memberOf(sent, name)) : !allowsAll) return `parameter ${quoteText(name)} is not allowed`
  }
  return undefined
}

/** Whether the list contains the value. An empty list means any value. */
function holds(values: readonly PolicyValue[], sent: unknown): boolean {
  if (values.length === 0) return true
  for (const value of values) if (equals(value, sent)) return true
  return false
}

/**
 * Whether a sent value equals an allowed or denied value. A string in the policy may begin or end with a `*` wildcard; a lone `*` is an
 * ordinary character, as in Vault. Numbers are compared by value.
 */
function equals(value: PolicyValue, sent: unknown): boolean {
  return typeof value === 'string' ? typeof sent === 'string' && matches(value, sent) : same(value, sent)
}

function matches(glob: string, text: string): boolean {
  const after = glob.startsWith('*')
  if (glob.length < 2) return text === glob
  if (!glob.endsWith('*')) return after ? text.endsWith(glob.slice(1)) : text === glob
  return after ? text.includes(glob.slice(1, -1)) : text.startsWith(glob.slice(0, -1))
}

/** Deep equality. The time is bounded by the size of the policy's value, even if the sent value is larger. */
function same(value: PolicyValue, sent: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint')
    // Compare with <= and >=, because `===` is never true for a number and a bigint.
    return (typeof sent === 'number' || typeof sent === 'bigint') && value <= sent && value >= sent
  if (typeof value !== 'object') return value === sent
  if (typeof sent !== 'object' || sent === null) return false
  if (Array.isArray(value))
    return Array.isArray(sent) && value.length === sent.length && value.every((item, i) => same(item, sent[i]))
  if (Array.isArray(sent)) return false
  for (const name of memberNames(sent)) if (!Object.hasOwn(value, name)) return false
  return Object.entries(value).every(([name, inner]) => same(inner, memberOf(sent, name)))
}
