/**
 * Brings the rules of several policies together.
 */
import { Pace, type Steps } from '../../core/base/steps.ts'
import { rankOf } from './level.ts'
import { RESOURCE_NAMES, type Resource, type ResourceName, resourceOf } from './resource.ts'
import type { Match, Rule, Rules } from './rule.ts'
import { type Ruled, type Ruling, stronger } from './ruling.ts'

/** A policy as decisions see it. */
export interface NamedRules {
  /** By which explanations call it. */
  readonly name: string
  readonly rules: Rules
}

const RULE_MICROSECONDS = 1

/** By resource and name. */
export type Merged = ReadonlyMap<ResourceName, ReadonlyMap<string, Ruled>>

type Drafts = ReadonlyMap<ResourceName, Map<string, Ruled>>

const MATCHES: readonly Match[] = ['exact', 'prefix']

/** Of all rules about the same thing the strongest counts, whatever their order. */
export function* mergeRules(policies: readonly NamedRules[]): Steps<Merged> {
  const pace = new Pace()
  const merged: Drafts = new Map(RESOURCE_NAMES.map((resource) => [resource, new Map<string, Ruled>()]))
  for (const { name: policy, rules } of policies)
    for (const rule of rules) {
      const ruled = ruledIn(merged, rule.resource, rule.name)
      ruled[rule.match] = stronger(ruled[rule.match], { rank: rankOf(rule.level), rule, policy })
      if (pace.spend(RULE_MICROSECONDS)) yield
    }
  for (const resource of RESOURCE_NAMES) {
    const { within } = resourceOf(resource)
    if (within) yield* imply(merged, resource, within, pace)
  }
  return merged
}

/** What a field that no rule about a thing gives is taken for. Only now: what is given in one policy holds for the rules of all. */
function* imply(merged: Drafts, resource: ResourceName, within: NonNullable<Resource['within']>, pace: Pace): Steps<void> {
  for (const given of merged.get(within.resource)?.values() ?? []) {
    const ruled = ruledIn(merged, resource, given.name)
    for (const match of MATCHES) {
      const ruling = given[match]
      if (ruling) ruled[match] ??= implied(ruling, within.implied)
    }
    if (pace.spend(RULE_MICROSECONDS)) yield
  }
}

const implied = (ruling: Ruling, levels: Readonly<Record<Rule['level'], Rule['level']>>): Ruling => ({
  ...ruling,
  rank: rankOf(levels[ruling.rule.level]),
})

function ruledIn(merged: Drafts, resource: ResourceName, name: string): Ruled {
  const names = merged.get(resource) as Map<string, Ruled>
  const known = names.get(name)
  if (known) return known
  const ruled: Ruled = { name, exact: undefined, prefix: undefined }
  names.set(name, ruled)
  return ruled
}
