/**
 * Finds the rule for a path.
 *
 * A tree of the patterns' characters in which `+` is a branch of its own. A path leads down one line of literal characters; on the way
 * it passes the stars that match and meets the branches for `+`, of which the last is walked first: what lies below it has its first
 * wildcard latest and goes before all others. No node is visited twice, so time is linear in path and tree, whatever they hold.
 */
import { type CompiledRule, goesBefore } from './compiled-rule.ts'
import { ruleSlot, wayTo } from './grow-tree.ts'
import { PatternNode } from './pattern-node.ts'

/**
 * Work space of one search: branches for `+` still to be walked, where the first `+` on the way to each stands, and the ends of
 * the path's segments, with how many of each there are. Kept, so that a search need not allocate; searches never interrupt each
 * other.
 */
const branches: (PatternNode | undefined)[] = []
const firsts: number[] = []
const ends: number[] = []
let waiting = 0
let known = 0

const SLASH = 0x2f

function branchOff(node: PatternNode, first: number): void {
  branches[waiting] = node
  firsts[waiting++] = first
}

export class PatternTree {
  readonly #root: PatternNode

  /** @param roots Of the trees of policies, each made by {@link growTree}. */
  constructor(roots: readonly PatternNode[]) {
    this.#root = roots.length > 0 ? PatternNode.merged(roots) : new PatternNode('')
  }

  /**
   * The rule that applies. For a list, whose path ends in a slash, exact rules apply to the path with the slash and then to the path
   * without it; after them rules with wildcards apply in the same order. So a rule on what lies below a folder also covers a list of that
   * folder (source: behaviour of OpenBao 2.6).
   */
  find(path: string, list: boolean): CompiledRule | undefined {
    const { length } = path
    const bare = list ? bareLength(path) : length
    const rule = this.#search(path, length, bare, undefined)
    return rule || bare === length ? rule : this.#search(path, bare, bare, undefined)
  }

  /** Every matching rule, in groups: rules of earlier groups take precedence over later ones. Some appear twice. */
  matching(path: string, list: boolean): readonly (readonly CompiledRule[])[] {
    const { length } = path
    const bare = list ? bareLength(path) : length
    const groups = (bare === length ? [length] : [length, bare]).map((end) => {
      const group: CompiledRule[] = []
      this.#search(path, end, bare, group)
      return group
    })
    return groups
  }

  /**
   * The best rule for the first `end` characters. An exact rule goes before all wildcards.
   * @param bare An exact rule for the first `bare` characters counts too, after one for all of them.
   * @param all Takes every rule that matches, in no order.
   */
  #search(path: string, end: number, bare: number, all: CompiledRule[] | undefined): CompiledRule | undefined {
    let exact: CompiledRule | undefined
    let best: CompiledRule | undefined
    let at = 0
    // If an earlier search ended by an error, such as a stack overflow, its branches must not affect this path.
    waiting = 0
    for (let node: PatternNode | undefined = this.#root; node; node = node.next(path, at, end)) {
      at += node.label.length
      if (node.exact && (at === end || at === bare)) {
        exact = node.exact
        all?.push(exact)
      }
      if (node.open) best = better(best, node.open, all)
      if (node.whole && at === end) best = better(best, node.whole, all)
      if (node.plus) branchOff(node.plus, at)
    }
    if (waiting > 0) {
      if (!exact || all) best = searchBranches(path, end, best, all)
      // Skipped branches are cleared, lest they keep a tree in memory.
      while (waiting > 0) branches[--waiting] = undefined
    }
    return exact ?? best
  }

  /** The merged rule of all trees for the pattern of one rule. */
  mergedWith(rule: CompiledRule): CompiledRule | undefined {
    let node: PatternNode | undefined = this.#root
    for (const { text, plus } of wayTo(rule)) {
      for (let at = 0; node && at < text.length; at += node?.label.length ?? 0) node = node.next(text, at, text.length)
      if (plus !== undefined) node = node?.plus
    }
    return node?.[ruleSlot(rule)]
  }

  /** The rule with a star, without `+`, that every path beginning with `prefix` matches last. */
  starOver(prefix: string): CompiledRule | undefined {
    let star: CompiledRule | undefined
    let at = 0
    for (let node: PatternNode | undefined = this.#root; node; node = node.next(prefix, at, prefix.length)) {
      at += node.label.length
      if (node.open?.kind === 'prefix') star = node.open
    }
    return star
  }
}

/** The length of a path without its last slash. */
function bareLength(path: string): number {
  const { length } = path
  return length > 0 && path.charCodeAt(length - 1) === SLASH ? length - 1 : length
}

/** Walks the branches, latest first, until the rest cannot be better. */
function searchBranches(
  path: string,
  end: number,
  from: CompiledRule | undefined,
  all: CompiledRule[] | undefined,
): CompiledRule | undefined {
  let best = from
  known = 0
  while (waiting > 0) {
    let node = branches[--waiting]
    branches[waiting] = undefined
    const first = firsts[waiting] as number
    if (best && best.first > first && !all) return best
    let at = node ? endOfSegment(path, node.segment, end) : 0
    for (; node; node = node.next(path, at, end)) {
      at += node.label.length
      if (node.open) best = better(best, node.open, all)
      if (node.whole && at === end) best = better(best, node.whole, all)
      if (node.plus) branchOff(node.plus, first)
    }
  }
  return best
}

function better(best: CompiledRule | undefined, rule: CompiledRule, all: CompiledRule[] | undefined): CompiledRule {
  all?.push(rule)
  return !best || goesBefore(rule, best) ? rule : best
}

/** The end of a segment. Each end is searched only once per search: many branches may need that of one long segment. */
function endOfSegment(path: string, segment: number, end: number): number {
  for (; known <= segment; known++) {
    const slash = path.indexOf('/', known === 0 ? 0 : (ends[known - 1] as number) + 1)
    ends[known] = slash < 0 ? end : slash
  }
  return ends[segment] as number
}
