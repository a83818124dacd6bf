/**
 * Says why a request is allowed or not. Room: core/policy. Imported by compile.ts.
 */
import type { AclRequest, Decision, ExplainedRule, Explanation } from './acl.ts'
import { capabilityNames } from './capability.ts'
import { type CompiledRule, goesBefore } from './compiled-rule.ts'
import type { PatternTree } from './pattern-tree.ts'
import { refusalOf } from './restrictions.ts'
import { quoted } from './syntax.ts'

/** The most patterns shown that match but do not count. */
const MOST_OTHERS = 16

/** @param decided what was decided about the request; this only tells why. */
export function explain(tree: PatternTree, request: AclRequest, decided: Decision): Explanation {
  const { allowed, sudo } = decided
  const { operation, path } = request
  if (operation === 'help') return { allowed, sudo, root: false, reason: 'help is for everyone' }
  const matching: CompiledRule[] = []
  const rule = tree.find(path, operation === 'list', matching)
  if (!rule) return { allowed, sudo, root: false, reason: 'no rule matches' }
  return { allowed, sudo, root: false, rule: shown(rule, matching), reason: reasonOf(rule, request) }
}

function shown(rule: CompiledRule, matching: readonly CompiledRule[]): ExplainedRule {
  const others = [...new Set(matching)].filter((other) => other !== rule)
  others.sort((a, b) => Number(b.kind === 'exact') - Number(a.kind === 'exact') || (goesBefore(a, b) ? -1 : 1))
  return {
    pattern: rule.pattern,
    policies: rule.policies,
    capabilities: capabilityNames(rule.capabilities),
    kind: rule.kind,
    over: others.slice(0, MOST_OTHERS).map(({ pattern }) => pattern),
  }
}

function reasonOf(rule: CompiledRule, request: AclRequest): string {
  const { operation } = request
  const names = rule.policies.map((name) => quoted(name))
  const named = `rule ${quoted(rule.pattern)} of ${names.length === 1 ? 'policy' : 'policies'} ${names.join(', ')}`
  const capabilities = capabilityNames(rule.capabilities)
  if (capabilities.includes('deny')) return rule.capabilities === 0 ? `${named} grants nothing` : `${named} denies everything`
  if (operation === 'header') return 'HEAD is for root alone'
  if (operation !== 'help' && !capabilities.includes(operation)) return `${named} lacks ${quoted(operation)}`
  const refusal = refusalOf(rule, request)
  return refusal === undefined ? `${named} grants ${quoted(operation)}` : `${refusal} by ${named}`
}
