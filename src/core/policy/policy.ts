import type { CapabilitySet } from './capability.ts'

/** A value that a policy allows or denies for a parameter. Integers beyond 2^53 are bigints. */
export type PolicyValue = string | number | bigint | boolean | readonly PolicyValue[] | { readonly [name: string]: PolicyValue }

/** Values by lower-case parameter name, or `*` for all names. An empty list allows or denies any value. */
export interface ParameterValues {
  has(name: string): boolean
  get(name: string): readonly PolicyValue[] | undefined
}

/** A rule without its pattern. */
export interface RuleTerms {
  readonly capabilities: CapabilitySet
  /** Undefined if the policy does not restrict parameters. */
  readonly allowed: ParameterValues | undefined
  readonly denied: ParameterValues | undefined
  /** Lower-case names of parameters that a request must contain; one list for each block that has any. */
  readonly required: readonly (readonly string[])[]
  /** Seconds, inclusive; 0 means no limit. If either is set, the request must ask for a wrapped answer. */
  readonly minWrappingTtl: number
  readonly maxWrappingTtl: number
}

export interface PolicyRule extends RuleTerms {
  /** As in the text, without one leading slash: `secret/*`, `+/config`, `team/{{identity.entity.name}}/*`. */
  readonly pattern: string
  /** Whether the pattern contains templates and therefore needs an identity. */
  readonly templated: boolean
  /** Its `expiration` in milliseconds since the epoch; undefined if it has none. */
  readonly ends: number | undefined
}

/** A parsed policy. Immutable. Rules have the order of the text; a pattern may occur several times. */
export interface Policy {
  readonly rules: readonly PolicyRule[]
}
