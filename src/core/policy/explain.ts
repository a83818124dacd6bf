/** Explains why a request is allowed or refused. */

import { quoteText } from '../hcl/index.ts'
import type { AclExplanation, AclRequest, DecidingAclRule, Decision } from './acl.ts'
import { capabilityNames } from './capability.ts'
import type { UnfilledBlock } from './compiled-policy.ts'
import { type CompiledRule, goesBefore } from './compiled-rule.ts'
import type { PatternTree } from './pattern-tree.ts'
import { violatedRestriction } from './restrictions.ts'

/** The maximum number of less specific patterns in an explanation. */
const MAX_OTHER_PATTERNS = 16

/**
 * @param decided The decision to explain. The returned explanation contains it.
 * @param rule The deciding rule.
 */
export function explainAclDecision(
  tree: PatternTree,
  request: AclRequest,
  decided: Decision,
  rule: CompiledRule | undefined,
): AclExplanation {
  const { allowed, sudo } = decided
  const { operation, path } = request
  if (operation === 'help') return { allowed, sudo, root: false, reason: 'every caller may request help' }
  if (!rule) return { allowed, sudo, root: false, reason: 'no rule matches' }
  const groups = tree.matching(path, operation === 'list')
  return { allowed, sudo, root: false, rule: shown(rule, groups), reason: reasonOf(rule, request) }
}

/** Explains that the caller is allowed nothing because the template of a rule could not be filled in. */
export const explainUnfilled = ({ policy, pattern }: UnfilledBlock, { allowed, sudo }: Decision): AclExplanation => ({
  allowed,
  sudo,
  root: false,
  reason: `the template in the pattern ${quoteText(pattern)} of policy ${quoteText(policy)} cannot be filled in: a value of the identity is empty, too long, or contains "*", "+" or "/"`,
})

function shown(rule: CompiledRule, groups: readonly (readonly CompiledRule[])[]): DecidingAclRule {
  const others: CompiledRule[] = []
  for (const group of groups) for (const other of best(group)) if (other !== rule && !others.includes(other)) others.push(other)
  return {
    pattern: rule.pattern,
    policies: rule.policies,
    capabilities: capabilityNames(rule.capabilities),
    kind: rule.kind,
    over: others.slice(0, MAX_OTHER_PATTERNS).map(({ pattern }) => pattern),
  }
}

/**
 * Returns the most specific of the rules that match: the deciding rule and as many others as the explanation contains. Thousands of rules
 * may match, so the list is not sorted completely.
 */
function best(rules: readonly CompiledRule[]): readonly CompiledRule[] {
  const found: CompiledRule[] = []
  for (const rule of rules) {
    const last = found[MAX_OTHER_PATTERNS]
    if (last && !isBetter(rule, last)) continue
    const at = found.findIndex((other) => isBetter(rule, other))
    found.splice(at < 0 ? found.length : at, 0, rule)
    if (last) found.pop()
  }
  return found
}

const isBetter = (a: CompiledRule, b: CompiledRule): boolean =>
  (a.kind === 'exact') === (b.kind === 'exact') ? goesBefore(a, b) : a.kind === 'exact'

function reasonOf(rule: CompiledRule, request: AclRequest): string {
  const { operation } = request
  const names = rule.policies.map((name) => quoteText(name))
  const named = `rule ${quoteText(rule.pattern)} of ${names.length === 1 ? 'policy' : 'policies'} ${names.join(', ')}`
  const capabilities = capabilityNames(rule.capabilities)
  if (capabilities.includes('deny')) return rule.capabilities === 0 ? `${named} grants nothing` : `${named} denies everything`
  if (operation === 'header') return 'only root may use HEAD'
  if (operation !== 'help' && !capabilities.includes(operation)) return `${named} lacks ${quoteText(operation)}`
  const refusal = violatedRestriction(rule, request)
  return refusal === undefined ? `${named} grants ${quoteText(operation)}` : `${refusal} by ${named}`
}
