/** Finds out whether policies grant anything below a path. */
import { Pace, type Steps } from '../base/steps.ts'
import { type CompiledRule, goesBefore, grantsAnything } from './compiled-rule.ts'
import { everyNode } from './grow-tree.ts'
import type { PatternNode } from './pattern-node.ts'
import type { PatternTree } from './pattern-tree.ts'

/** The estimated times to visit a node, and to look up a rule in all trees. */
const SLOT_MICROSECONDS = 0.2

const RULE_MICROSECONDS = 5

/**
 * Whether any rule grants anything for a path that begins with `prefix`. The result may be true although it should be false; see `reaches`
 * in acl.ts.
 * @param roots The trees that are merged in `tree`. Each of them is searched separately, and each rule that is found is looked up in
 * `tree`.
 */
export function* reachesBelow(tree: PatternTree, roots: readonly PatternNode[], prefix: string): Steps<boolean> {
  const here = tree.find(prefix, true)
  if (here && grantsAnything(here)) return true
  // This rule matches every path with the prefix, so rules with lower precedence have no effect below the prefix.
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

/**
 * The rules in one tree that may match below the prefix: rules with a `*` before the end of the prefix, and all rules whose patterns begin
 * with the prefix. Also yields undefined for nodes without a rule.
 */
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
      // The prefix ends within the label of this child.
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
