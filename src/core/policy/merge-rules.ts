/**
 * Merges rules with the same pattern by Vault's rules. The rules may be in different policies or in the same policy.
 *
 * Merging copies no parameter restrictions. The restrictions of a parameter are merged when a request contains the parameter.
 */
import { CAPABILITY_BITS } from './capability.ts'
import { type CompiledRule, isRestricted } from './compiled-rule.ts'
import type { ParameterValues, PolicyValue, RuleTerms } from './policy.ts'

/** The merged terms if any of the rules denies. */
const DENY: RuleTerms = /* @__PURE__ */ Object.freeze({
  capabilities: CAPABILITY_BITS.deny,
  allowed: undefined,
  denied: undefined,
  required: /* @__PURE__ */ Object.freeze([]),
  minWrappingTtl: 0,
  maxWrappingTtl: 0,
})

/** Merges the terms of rules that have the same pattern. The parameter values of later rules come first. */
export function mergeTerms(blocks: readonly RuleTerms[]): RuleTerms {
  const [only] = blocks
  let capabilities = 0
  for (const block of blocks) capabilities |= block.capabilities
  if ((capabilities & CAPABILITY_BITS.deny) !== 0) return DENY
  if (only && blocks.length === 1) return only
  return Object.freeze({
    capabilities,
    allowed: mergeParameters(blocks.map(({ allowed }) => allowed)),
    denied: mergeParameters(blocks.map(({ denied }) => denied)),
    required: Object.freeze(blocks.flatMap(({ required }) => required)),
    minWrappingTtl: smallest(blocks.map(({ minWrappingTtl }) => minWrappingTtl)),
    maxWrappingTtl: smallest(blocks.map(({ maxWrappingTtl }) => maxWrappingTtl)),
  })
}

/** Merges the rules that several policies have for the same pattern. Undefined if no policy has such a rule. */
export function mergeMatchingRules(found: readonly (CompiledRule | undefined)[]): CompiledRule | undefined {
  const rules = found.filter((rule) => rule !== undefined)
  const [first] = rules
  if (!first || rules.length === 1) return first
  const terms = mergeTerms(rules)
  return Object.freeze({
    ...first,
    ...terms,
    policies: [...new Set(rules.flatMap(({ policies }) => policies))],
    restricted: isRestricted(terms),
  })
}

/** The smallest value that is not 0; 0 means no limit. */
const smallest = (seconds: readonly number[]): number => seconds.reduce((a, b) => (a === 0 || (b !== 0 && b < a) ? b : a), 0)

function mergeParameters(maps: readonly (ParameterValues | undefined)[]): ParameterValues | undefined {
  const known = maps.filter((map) => map !== undefined)
  return known.length > 1 ? new MergedParameters(known) : known[0]
}

/**
 * The restrictions of several rules, merged per parameter name. A name has the values of all maps; if a map has an empty list for the name,
 * the merged list is empty too, which means any value.
 */
class MergedParameters implements ParameterValues {
  readonly #maps: readonly ParameterValues[]
  readonly #merged = new Map<string, readonly PolicyValue[]>()

  constructor(maps: readonly ParameterValues[]) {
    this.#maps = maps
  }

  has(name: string): boolean {
    return this.#maps.some((map) => map.has(name))
  }

  get(name: string): readonly PolicyValue[] | undefined {
    const known = this.#merged.get(name)
    if (known) return known
    const lists = this.#maps.flatMap((map) => {
      const values = map.get(name)
      return values ? [values] : []
    })
    if (lists.length === 0) return undefined
    const values = lists.some((list) => list.length === 0) ? [] : lists.reverse().flat()
    this.#merged.set(name, values)
    return values
  }
}
