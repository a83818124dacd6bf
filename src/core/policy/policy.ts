/**
 * A parsed policy.
 */
import type { CapabilitySet } from './capability.ts'

/** A value that a policy allows or denies for a parameter. Integers beyond 2^53 are bigints. */
export type PolicyValue = string | number | bigint | boolean | readonly PolicyValue[] | { readonly [name: string]: PolicyValue }

/** Maps a lower-case parameter name, or `*` for every one, to its values; an empty list stands for any value. */
export interface ParameterValues {
  has(name: string): boolean
  get(name: string): readonly PolicyValue[] | undefined
}

/** The content of a rule besides its pattern. */
export interface RuleTerms {
  readonly capabilities: CapabilitySet
  /** Undefined where the policy says nothing or names no parameter. */
  readonly allowed: ParameterValues | undefined
  readonly denied: ParameterValues | undefined
  /** Lower-case names that a request has to send; one list per block that has any. */
  readonly required: readonly (readonly string[])[]
  /** Seconds, inclusive; 0 means no bound. With either bound, the request has to ask for a wrapped answer. */
  readonly minWrappingTtl: number
  readonly maxWrappingTtl: number
}

export interface PolicyRule extends RuleTerms {
  /** As in the text, but without one leading slash: `secret/*`, `+/config`, `team/{{identity.entity.name}}/*`. */
  readonly pattern: string
  /** Whether the pattern holds templates, so that it needs an identity. */
  readonly templated: boolean
  /** Its `expiration`, in milliseconds since the epoch; undefined if it has none. */
  readonly ends: number | undefined
}

/** An immutable policy. Its rules are in the order of the text; one pattern may have several. */
export interface Policy {
  readonly rules: readonly PolicyRule[]
}
