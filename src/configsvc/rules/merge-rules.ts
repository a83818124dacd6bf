/** Merges the rules of several policies. */
import { sortSteps } from '../../core/base/sort-steps.ts'
import { Pace, type Steps } from '../../core/base/steps.ts'
import { type Level, rankOf } from './level.ts'
import { comparedName, RESOURCE_NAMES, type ResourceName, resourceOf } from './resource.ts'
import type { AclRules } from './rule.ts'
import { type NameRulings, type Ruling, strongerRuling } from './ruling.ts'

export interface NamedRules {
  /** The name by which explanations of decisions refer to the policy. */
  readonly name: string
  readonly rules: AclRules
}

const RULE_MICROSECONDS = 1

/** For each kind of resource, the names for which rules exist, sorted and without duplicates. */
export type MergedRules = ReadonlyMap<ResourceName, readonly NameRulings[]>

/** If several rules apply to one name, the strongest is kept, whatever their order. */
export function* mergeAclRules(policies: readonly NamedRules[]): Steps<MergedRules> {
  const pace = new Pace()
  const given = new Map(RESOURCE_NAMES.map((resource): readonly [ResourceName, Ruling[]] => [resource, []]))
  for (const { name: policy, rules } of policies)
    for (const rule of rules) {
      const name = comparedName(resourceOf(rule.resource), rule.name)
      given.get(rule.resource)?.push({ name, rank: rankOf(rule.level), rule, policy, implied: false })
      if (pace.spend(RULE_MICROSECONDS)) yield
    }
  const merged = new Map<ResourceName, readonly NameRulings[]>()
  for (const [resource, rulings] of given)
    if (!resourceOf(resource).within) merged.set(resource, yield* groupByName(rulings, pace))
  for (const [resource, rulings] of given) {
    const { within } = resourceOf(resource)
    if (!within) continue
    // Derive levels after merging all explicit rules, because a derived level depends on the merged rules of all policies.
    for (const { exact, prefix } of merged.get(within.resource) ?? [])
      for (const ruling of [exact, prefix]) {
        if (ruling) rulings.push(impliedRuling(ruling, within.implied))
        if (pace.spend(RULE_MICROSECONDS)) yield
      }
    merged.set(resource, yield* groupByName(rulings, pace))
  }
  return merged
}

const impliedRuling = (ruling: Ruling, levels: Readonly<Record<Level, Level>>): Ruling => ({
  ...ruling,
  rank: rankOf(levels[ruling.rule.level]),
  implied: true,
})

function* groupByName(rulings: readonly Ruling[], pace: Pace): Steps<readonly NameRulings[]> {
  const names: NameRulings[] = []
  for (const ruling of yield* sortSteps(rulings, ({ name }) => name)) {
    const { name } = ruling
    const { match } = ruling.rule
    let ruled = names.at(-1)
    if (ruled?.name !== name) {
      ruled = { name, exact: undefined, prefix: undefined }
      names.push(ruled)
    }
    ruled[match] = strongerRuling(ruled[match], ruling)
    if (pace.spend(RULE_MICROSECONDS)) yield
  }
  return names
}
