import type { CapabilitySet } from './capability.ts'

/** A value that a policy allows or denies for a parameter. Integers above 2^53 are bigints. */
export type PolicyValue = string | number | bigint | boolean | readonly PolicyValue[] | { readonly [name: string]: PolicyValue }

/** Lists of values, keyed by the lower-case parameter name, or by `*` for all names. An empty list means any value. */
export interface ParameterValues {
  has(name: string): boolean
  get(name: string): readonly PolicyValue[] | undefined
}

/** A rule without its pattern. */
export interface RuleTerms {
  readonly capabilities: CapabilitySet
  /** The allowed and denied values of parameters. Undefined if the rule does not restrict them. */
  readonly allowed: ParameterValues | undefined
  readonly denied: ParameterValues | undefined
  /**
   * The lower-case names of parameters that a request must contain: one list for each block of the policy that requires parameters. A
   * request must contain the parameters of all lists.
   */
  readonly required: readonly (readonly string[])[]
  /**
   * Limits of the wrapping TTL in seconds, inclusive; 0 means no limit. If either limit is set, the request must ask for a wrapped answer.
   */
  readonly minWrappingTtl: number
  readonly maxWrappingTtl: number
}

export interface PolicyRule extends RuleTerms {
  /** The pattern as in the policy text, but without one leading slash: `secret/*`, `+/config`, `team/{{identity.entity.name}}/*`. */
  readonly pattern: string
  /** Whether the pattern contains templates. Such a rule can be compiled only for an identity. */
  readonly templated: boolean
  /** The rule's `expiration` in milliseconds since the epoch; undefined if the rule does not expire. */
  readonly ends: number | undefined
}

/** A parsed policy. Immutable. The rules are in the order of the policy text, and a pattern may occur several times. */
export interface Policy {
  readonly rules: readonly PolicyRule[]
}
