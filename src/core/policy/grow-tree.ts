/** Builds the pattern tree of one policy. */
import { Pace, type Steps } from '../base/steps.ts'
import type { CompiledRule } from './compiled-rule.ts'
import { PatternNode } from './pattern-node.ts'

/**
 * The estimated times in microseconds to add a rule and to index the children of a node. Adding a rule takes additional time for the
 * characters of its pattern.
 */
const ADD_MICROSECONDS = 3

const SETTLE_MICROSECONDS = 1

const CHARACTERS_PER_MICROSECOND = 50

/**
 * Builds a tree and returns its root. The tree must not be changed afterwards.
 * @param rules The rules. Each pattern must occur only once.
 */
export function* growTree(rules: Iterable<CompiledRule>): Steps<PatternNode> {
  const root = new PatternNode('')
  const pace = new Pace()
  for (const rule of rules) {
    let node = root
    for (const { text, plus } of wayTo(rule)) {
      node = node.descend(text)
      if (plus === undefined) continue
      node.plus ??= new PatternNode('', plus)
      node = node.plus
    }
    node[ruleSlot(rule)] = rule
    if (pace.spend(ADD_MICROSECONDS + rule.stem.length / CHARACTERS_PER_MICROSECOND)) yield
  }
  for (const node of everyNode(root)) {
    node.settle()
    if (pace.spend(SETTLE_MICROSECONDS)) yield
  }
  return root
}

/**
 * A part of a pattern between wildcards. If a `+` follows the part, `plus` is the index of that `+` among the pattern's segments. For the
 * last part, `plus` is undefined.
 */
interface Stretch {
  readonly text: string
  readonly plus: number | undefined
}

/** Splits the pattern of a rule into the parts that lead from the root of the tree to the rule's node. */
export function wayTo({ stem, pluses }: CompiledRule): readonly Stretch[] {
  if (pluses === 0) return [{ text: stem, plus: undefined }]
  const way: Stretch[] = []
  let text = ''
  for (const [i, segment] of stem.split('/').entries()) {
    if (i > 0) text += '/'
    if (segment !== '+') text += segment
    else {
      way.push({ text, plus: i })
      text = ''
    }
  }
  way.push({ text, plus: undefined })
  return way
}

/** The property of the node in which the rule is stored. */
export const ruleSlot = ({ kind, open }: CompiledRule): 'exact' | 'open' | 'whole' =>
  kind === 'exact' ? 'exact' : open ? 'open' : 'whole'

/** The node and all its descendants. */
export function* everyNode(from: PatternNode): Generator<PatternNode, void, void> {
  const nodes = [from]
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    yield node
    if (node.plus) nodes.push(node.plus)
    for (const child of node.children) nodes.push(child)
  }
}
