/**
 * Whether policies grant anything in a part of the path tree.
 */
import { Pace, type Steps } from '../base/steps.ts'
import { type CompiledRule, goesBefore, grantsAnything } from './compiled-rule.ts'
import { everyNode } from './grow-tree.ts'
import type { PatternNode } from './pattern-node.ts'
import type { PatternTree } from './pattern-tree.ts'

/** Estimated cost of looking for a rule at a node, and of asking all trees about a rule found there. */
const SLOT_MICROSECONDS = 0.2

const RULE_MICROSECONDS = 5

/**
 * Whether any rule grants anything for some path that begins with `prefix`; see `Acl`.
 * @param roots The trees that `tree` is merged of: each is walked, and each rule found is looked up in all.
 */
export function* reachesBelow(tree: PatternTree, roots: readonly PatternNode[], prefix: string): Steps<boolean> {
  const here = tree.find(prefix, true)
  if (here && grantsAnything(here)) return true
  // Every path with the prefix matches this star, so rules of lower precedence are irrelevant below.
  const star = tree.starOver(prefix)
  const counts = (rule: CompiledRule): boolean => rule === star || rule.kind === 'exact' || !star || goesBefore(rule, star)
  const pace = new Pace()
  for (const root of roots)
    for (const own of rulesFor(root, prefix)) {
      if (pace.spend(SLOT_MICROSECONDS)) yield
      if (!own || !grantsAnything(own)) continue
      const rule = tree.mergedWith(own)
      if (rule && grantsAnything(rule) && counts(rule)) return true
      if (pace.spend(RULE_MICROSECONDS)) yield
    }
  return false
}

/** The rules of one tree with a star on the way to the prefix, and all below it. Undefined in place of a missing rule. */
function* rulesFor(root: PatternNode, prefix: string): Generator<CompiledRule | undefined, void, void> {
  const end = prefix.length
  const starts = [{ node: root, at: 0 }]
  for (let start = starts.pop(); start; start = starts.pop()) {
    let { at } = start
    for (let node: PatternNode | undefined = start.node; node; node = node.next(prefix, at, end)) {
      at += node.label.length
      if (at === end) {
        yield* allRules(node)
        break
      }
      yield node.open
      if (node.plus) starts.push({ node: node.plus, at: endOfSegment(prefix, at) })
      const child: PatternNode | undefined = node.child(prefix.charCodeAt(at))
      // The prefix ends within a label.
      if (child && child.label.length > end - at && child.label.startsWith(prefix.slice(at))) yield* allRules(child)
    }
  }
}

function* allRules(from: PatternNode): Generator<CompiledRule | undefined, void, void> {
  for (const node of everyNode(from)) {
    yield node.exact
    yield node.whole
    yield node.open
  }
}

function endOfSegment(path: string, from: number): number {
  const slash = path.indexOf('/', from)
  return slash < 0 ? path.length : slash
}
