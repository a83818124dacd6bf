/** Finds the rule that decides about a record that may have several paths. */
import type { AclPath, OtherPath } from './acl.ts'
import { CAPABILITY_BITS, type CapabilitySet } from './capability.ts'
import { type CompiledRule, ruleMatches } from './compiled-rule.ts'
import type { PatternTree } from './pattern-tree.ts'

/** The rule tree for paths that are folded after a number of slashes; undefined for unfolded paths. */
type TreeOf = (foldedAfter: number | undefined) => PatternTree

/**
 * The rule for the request's own path, or a refusing rule for another path of the record that takes precedence.
 * @param refuses Whether a rule refuses the request.
 */
export function decidingRule(
  treeOf: TreeOf,
  asked: AclPath,
  list: boolean,
  refuses: (rule: CompiledRule) => boolean,
): CompiledRule | undefined {
  let own = treeOf(asked.foldedAfter).find(asked.path, list)
  for (const other of asked.others ?? []) {
    const rule = ruleAt(treeOf, other)
    if (other.alias) {
      if (!rule || ruleMatches(rule, asked.path)) continue
      if (!own || ruleMatches(own, other.path)) own = rule
      else if (refuses(rule)) return rule
      continue
    }
    if (rule && (overrules(rule, other, own, asked) || (own && narrows(rule, other, own, asked) && refuses(rule)))) return rule
  }
  return own
}

/** The capabilities at the request's own path, minus those that rules for other paths of the record deny. */
export function grantedAt(treeOf: TreeOf, asked: AclPath): CapabilitySet {
  let own = treeOf(asked.foldedAfter).find(asked.path, true)
  let granted = own?.capabilities ?? 0
  for (const other of asked.others ?? []) {
    const rule = ruleAt(treeOf, other)
    if (other.alias) {
      if (!rule || ruleMatches(rule, asked.path)) continue
      if ((rule.capabilities & CAPABILITY_BITS.deny) !== 0) return CAPABILITY_BITS.deny
      granted = !own || ruleMatches(own, other.path) ? rule.capabilities : granted & rule.capabilities
      own ??= rule
      continue
    }
    if (rule && overrules(rule, other, own, asked)) return CAPABILITY_BITS.deny
    if (rule && own && narrows(rule, other, own, asked)) granted &= rule.capabilities
  }
  return granted
}

const ruleAt = (treeOf: TreeOf, { path, foldedAfter }: OtherPath): CompiledRule | undefined =>
  treeOf(foldedAfter).find(path, path.endsWith('/'))

/** Whether a `deny` rule for another path of the record applies and no rule for the own path takes precedence over it. */
function overrules(rule: CompiledRule, other: OtherPath, own: CompiledRule | undefined, { path }: AclPath): boolean {
  if ((rule.capabilities & CAPABILITY_BITS.deny) === 0 || ruleMatches(rule, path)) return false
  return !(other.slash && own?.kind === 'exact' && rule.kind !== 'exact')
}

/** Whether the rule for another path is more specific than the rule for the own path, which covers both paths. */
const narrows = (rule: CompiledRule, other: OtherPath, own: CompiledRule, { path }: AclPath): boolean =>
  !other.slash && rule !== own && ruleMatches(own, other.path) && !ruleMatches(rule, path)
