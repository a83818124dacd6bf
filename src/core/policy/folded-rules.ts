/**
 * Rules for requests with a name whose case does not matter. Such a request is authorized under the folded (lower-case) name, so the rules
 * are folded, too. In a pattern, only the name and the part after it are folded, because the case of namespaces and mounts before the name
 * matters.
 */
import { foldName } from '../base/fold-name.ts'
import { Pace, type Steps } from '../base/steps.ts'
import type { CompiledRules } from './compiled-policy.ts'
import { type CompiledRule, compileRule } from './compiled-rule.ts'
import { growTree } from './grow-tree.ts'
import { mergeTerms } from './merge-rules.ts'
import type { PatternNode } from './pattern-node.ts'

const RULE_MICROSECONDS = 4

/** The pattern trees of each policy's folded rules, keyed by the number of slashes before the name. */
const trees = new WeakMap<CompiledRules, Map<number, PatternNode | undefined>>()

/** The maximum number of trees per policy. A policy needs another tree only if it is used with mounts at another depth. */
const MAX_TREES = 4

/** The tree of the rules whose patterns change when they are folded. Undefined if no pattern changes. */
export function* foldedTree(rules: CompiledRules, slashes: number): Steps<PatternNode | undefined> {
  if (rules.cased.length === 0) return undefined
  const known = trees.get(rules) ?? new Map<number, PatternNode | undefined>()
  trees.set(rules, known)
  if (known.has(slashes)) return known.get(slashes)
  const tree = yield* foldRules(rules.cased, slashes)
  if (known.size >= MAX_TREES) known.clear()
  known.set(slashes, tree)
  return tree
}

function* foldRules(cased: readonly CompiledRule[], slashes: number): Steps<PatternNode | undefined> {
  const pace = new Pace()
  const groups = new Map<string, CompiledRule[]>()
  for (const rule of cased) {
    const pattern = foldedPattern(rule.pattern, slashes)
    if (pattern !== rule.pattern) {
      const group = groups.get(pattern)
      if (group) group.push(rule)
      else groups.set(pattern, [rule])
    }
    if (pace.spend(RULE_MICROSECONDS)) yield
  }
  if (groups.size === 0) return undefined
  const folded: CompiledRule[] = []
  for (const [pattern, group] of groups) {
    const policies = [...new Set(group.flatMap((rule) => rule.policies))]
    folded.push(compileRule(pattern, mergeTerms(group), policies))
    if (pace.spend(RULE_MICROSECONDS)) yield
  }
  return yield* growTree(folded)
}

/** Converts the pattern to lower case (`foldName`), except for the part up to the given number of slashes, which is the path of the mount. */
function foldedPattern(pattern: string, slashes: number): string {
  let at = -1
  for (let left = slashes; left > 0; left--) {
    at = pattern.indexOf('/', at + 1)
    if (at < 0) return pattern
  }
  return pattern.slice(0, at + 1) + foldName(pattern.slice(at + 1))
}
