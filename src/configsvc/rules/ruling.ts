/**
 * What the rules of several policies come to for one thing.
 */
import type { Rank } from './level.ts'
import type { AclRule } from './rule.ts'

export interface Ruling {
  /** The name of the rule in the form in which decisions compare it. */
  readonly name: string
  readonly rank: Rank
  /** The rule that counts, as it was written, and the policy that it is from. */
  readonly rule: AclRule
  readonly policy: string
  /** Only taken from a rule on another resource: what is said of this one counts before it. */
  readonly implied: boolean
}

/** All that is said of one name. */
export interface NameRulings {
  readonly name: string
  exact: Ruling | undefined
  prefix: Ruling | undefined
}

/** Of two rulings on one thing the one that counts. What it names does not depend on the order either. */
export function strongerRuling(a: Ruling | undefined, b: Ruling): Ruling {
  if (a === undefined) return b
  if (a.implied !== b.implied) return a.implied ? b : a
  if (a.rank !== b.rank) return a.rank > b.rank ? a : b
  if (a.policy !== b.policy) return b.policy < a.policy ? b : a
  return b.rule.name < a.rule.name ? b : a
}
