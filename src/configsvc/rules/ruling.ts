/**
 * What the rules of several policies come to for one thing.
 */
import type { Rank } from './level.ts'
import type { Rule } from './rule.ts'

export interface Ruling {
  readonly rank: Rank
  /** The rule that counts, as it was written, and the policy that it is from. */
  readonly rule: Rule
  readonly policy: string
}

/** All that is said of one name. */
export interface Ruled {
  readonly name: string
  exact: Ruling | undefined
  prefix: Ruling | undefined
}

/** Of two rulings on one thing the one that counts. What it names does not depend on the order either. */
export const stronger = (a: Ruling | undefined, b: Ruling): Ruling =>
  a === undefined || b.rank > a.rank || (b.rank === a.rank && b.policy < a.policy) ? b : a
