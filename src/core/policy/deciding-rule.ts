/** Finds the rule that decides about a record. The record may have several paths. */
import type { AclPath, OtherPath } from './acl.ts'
import { CAPABILITY_BITS, type CapabilitySet } from './capability.ts'
import { type CompiledRule, ruleMatches } from './compiled-rule.ts'
import type { PatternTree } from './pattern-tree.ts'

/**
 * Returns the tree of rules for paths that are compared without regard to case after the given number of slashes. If the number is
 * undefined, returns the tree for paths that are compared exactly.
 */
type TreeOf = (foldedAfter: number | undefined) => PatternTree

/**
 * Returns the rule for the request's own path. If a rule for another path of the record refuses the request and takes precedence, returns
 * that rule instead.
 * @param refuses Whether the given rule refuses the request.
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

/** Returns the capabilities at the request's own path, without the capabilities that rules for other paths of the record take away. */
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

/** Whether `rule` denies and takes precedence over the rule for the request's own path. `rule` was found for another path of the record. */
function overrules(rule: CompiledRule, other: OtherPath, own: CompiledRule | undefined, { path }: AclPath): boolean {
  if ((rule.capabilities & CAPABILITY_BITS.deny) === 0 || ruleMatches(rule, path)) return false
  return !(other.slash && own?.kind === 'exact' && rule.kind !== 'exact')
}

/**
 * Whether the rule for the request's own path matches both paths, but the rule for the other path matches only the other path. The rule for
 * the other path is then the more specific one.
 */
const narrows = (rule: CompiledRule, other: OtherPath, own: CompiledRule, { path }: AclPath): boolean =>
  !other.slash && rule !== own && ruleMatches(own, other.path) && !ruleMatches(rule, path)
