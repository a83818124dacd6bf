/** Compiles a single policy. Compiled policies can be merged. */
import { foldName } from '../base/fold-name.ts'
import { Pace, type Steps } from '../base/steps.ts'
import type { NamedPolicy, TemplateIdentity } from './acl.ts'
import { CAPABILITY_BITS } from './capability.ts'
import { type CompiledRule, compileRule, isRestricted } from './compiled-rule.ts'
import { growTree } from './grow-tree.ts'
import { mergeTerms } from './merge-rules.ts'
import type { PatternNode } from './pattern-node.ts'
import type { PolicyRule, RuleTerms } from './policy.ts'
import { MAX_PATTERN_CHARACTERS } from './read-rule.ts'
import { fillPolicyTemplate } from './template.ts'
import { rulesAt, type Validity } from './validity.ts'

const RULE_MICROSECONDS = 3

/** The estimated number of template characters that are filled in per microsecond. */
const CHARACTERS_PER_MICROSECOND = 10

/** Rules, at most one for each pattern, and the tree of their patterns. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[]
  readonly root: PatternNode
  /** The number of rules with a `+`. */
  readonly segmented: number
  /**
   * The period in which the policy has exactly these rules. Before this period, more rules applied, which have expired since; after it,
   * some of these rules have expired.
   */
  readonly validity: Validity
  /** The rules whose patterns contain upper-case letters. */
  readonly cased: readonly CompiledRule[]
  /**
   * The rule that denies or restricts and whose template could not be filled in, if there is one. A caller with this policy is then allowed
   * nothing.
   */
  readonly unfilled?: UnfilledBlock
}

/** A rule whose template could not be filled in because of an unusable value. */
export interface UnfilledBlock {
  readonly policy: string
  /** The pattern before its templates are filled in. */
  readonly pattern: string
}

/** A compiled policy. Immutable. Rules with templates are not part of `rules`; {@link fillPolicy} compiles them for each identity. */
export interface CompiledPolicy extends CompiledRules {
  readonly name: string
  readonly namespace: string
  readonly templated: readonly PolicyRule[]
}

/**
 * @param now Milliseconds since the epoch. Rules that have expired by then are omitted.
 * @throws TypeError if the namespace is not a path, or if one of its segments would be a wildcard.
 */
export function* compilePolicy({ name, policy, namespace }: NamedPolicy, now: number): Steps<CompiledPolicy> {
  if (!isNamespace(namespace))
    throw new TypeError('namespace: must be empty, or consist of segments that end in a slash and are not "+"')
  const templated: PolicyRule[] = []
  const plain: PolicyRule[] = []
  const { rules, validity } = rulesAt(policy.rules, now)
  for (const rule of rules) (rule.templated ? templated : plain).push(rule)
  const compiled = yield* compileRules(plain, name, validity, (rule) => namespace + rule.pattern)
  return Object.freeze({ ...compiled, name, namespace, templated })
}

/**
 * Compiles the rules with templates for an identity. A rule is omitted if the identity lacks a value, if a value is unusable, or if the
 * pattern becomes longer than any path. In the last two cases, the result is marked `unfilled` if the rule denies or restricts: without the
 * rule, the caller would have more rights than the policy gives (GHSA-hr5j-3j78-4vh2).
 */
export function* fillPolicy(policy: CompiledPolicy, identity: TemplateIdentity): Steps<CompiledRules> {
  const { name, namespace, templated, validity } = policy
  let unfilled: UnfilledBlock | undefined
  const compiled = yield* compileRules(templated, name, validity, (rule) => {
    const filled = fillPolicyTemplate(rule.pattern, identity)
    if (typeof filled === 'string' && filled.length <= MAX_PATTERN_CHARACTERS) return namespace + filled
    if (filled !== undefined && takesAway(rule)) unfilled ??= { policy: name, pattern: rule.pattern }
    return undefined
  })
  return unfilled ? { ...compiled, unfilled } : compiled
}

const takesAway = (rule: PolicyRule): boolean => (rule.capabilities & CAPABILITY_BITS.deny) !== 0 || isRestricted(rule)

function* compileRules(
  rules: readonly PolicyRule[],
  name: string,
  validity: Validity,
  patternOf: (rule: PolicyRule) => string | undefined,
): Steps<CompiledRules> {
  const pace = new Pace()
  const blocks = new Map<string, RuleTerms[]>()
  for (const rule of rules) {
    const pattern = patternOf(rule)
    if (pattern !== undefined) {
      const known = blocks.get(pattern)
      if (known) known.push(rule)
      else blocks.set(pattern, [rule])
    }
    if (pace.spend(RULE_MICROSECONDS + rule.pattern.length / CHARACTERS_PER_MICROSECOND)) yield
  }
  const compiled: CompiledRule[] = []
  const cased: CompiledRule[] = []
  const names = Object.freeze([name])
  for (const [pattern, terms] of blocks) {
    const rule = compileRule(pattern, mergeTerms(terms), names)
    compiled.push(rule)
    if (foldName(pattern) !== pattern) cased.push(rule)
    if (pace.spend(RULE_MICROSECONDS + pattern.length / CHARACTERS_PER_MICROSECOND)) yield
  }
  const segmented = compiled.filter(({ pluses }) => pluses > 0).length
  return { rules: compiled, root: yield* growTree(compiled), segmented, cased, validity }
}

const isNamespace = (path: string): boolean =>
  path === '' || (path.endsWith('/') && !path.startsWith('/') && !path.split('/').includes('+'))
