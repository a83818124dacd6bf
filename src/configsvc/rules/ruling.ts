/** The merged result of all rules for one name. */
import type { Rank } from './level.ts'
import type { AclRule } from './rule.ts'

export interface Ruling {
  /** The name of the resource to which the rules apply, normalized for comparison. */
  readonly name: string
  readonly rank: Rank
  /** The rule that applies, as written, and its policy. */
  readonly rule: AclRule
  readonly policy: string
  /** Whether the ruling is derived from a rule for another resource. An explicit rule takes precedence. */
  readonly implied: boolean
}

/** The rulings for a name itself, and for the names that begin with it. */
export interface NameRulings {
  readonly name: string
  exact: Ruling | undefined
  prefix: Ruling | undefined
}

/** Returns the ruling that applies. The result, including the policy that it names, does not depend on the order of the arguments. */
export function strongerRuling(a: Ruling | undefined, b: Ruling): Ruling {
  if (a === undefined) return b
  if (a.implied !== b.implied) return a.implied ? b : a
  if (a.rank !== b.rank) return a.rank > b.rank ? a : b
  if (a.policy !== b.policy) return b.policy < a.policy ? b : a
  return b.rule.name < a.rule.name ? b : a
}
