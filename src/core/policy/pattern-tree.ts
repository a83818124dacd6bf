/**
 * Finds the rule for a path.
 *
 * The rules are in a tree of the characters of their patterns, in which each `+` is a separate branch. A search first follows the
 * characters of the path. On its way it collects the matching rules that end in `*`, and remembers the branches with a `+`. Then it
 * searches the remembered branches, the last one first: the patterns in that branch have their first wildcard at the latest position and so
 * take precedence over the patterns in all other branches. The search visits no node twice, so the time is linear in the length of the path
 * and the size of the tree.
 */
import { type CompiledRule, goesBefore } from './compiled-rule.ts'
import { ruleSlot, wayTo } from './grow-tree.ts'
import { PatternNode } from './pattern-node.ts'

/**
 * The working memory of a search: the `+` branches that are not searched yet, the position of the first `+` for each branch, and the ends
 * of the path's segments. The arrays are stored in the module so that a search need not allocate them. Searches can share them, because a
 * search is synchronous.
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

  /** @param roots The roots of the policies' trees. {@link growTree} creates them. */
  constructor(roots: readonly PatternNode[]) {
    this.#root = roots.length > 0 ? PatternNode.merged(roots) : new PatternNode('')
  }

  /**
   * Returns the deciding rule. The path of a list ends in a slash. For a list, rules take precedence in this order: exact rules for the
   * path with the slash, exact rules for the path without the slash, rules with wildcards for the path with the slash, rules with wildcards
   * for the path without the slash. So a rule for everything below a folder also applies to the list of the folder, as in OpenBao 2.6.
   */
  find(path: string, list: boolean): CompiledRule | undefined {
    const { length } = path
    const bare = list ? bareLength(path) : length
    const rule = this.#search(path, length, bare, undefined)
    return rule || bare === length ? rule : this.#search(path, bare, bare, undefined)
  }

  /** All matching rules, in groups. Earlier groups take precedence over later groups. A rule may occur twice. */
  matching(path: string, list: boolean): readonly (readonly CompiledRule[])[] {
    const { length } = path
    const bare = list ? bareLength(path) : length
    return (bare === length ? [length] : [length, bare]).map((end) => {
      const group: CompiledRule[] = []
      this.#search(path, end, bare, group)
      return group
    })
  }

  /**
   * The most specific rule for the first `end` characters of the path. An exact rule takes precedence over all wildcards.
   * @param bare An exact rule for the first `bare` characters is also accepted, if no exact rule for the first `end` characters exists.
   * @param all Collects every matching rule, in no particular order.
   */
  #search(path: string, end: number, bare: number, all: CompiledRule[] | undefined): CompiledRule | undefined {
    let exact: CompiledRule | undefined
    let best: CompiledRule | undefined
    let at = 0
    // If an earlier search ended with an error, such as a stack overflow, it may have left branches. Discard them.
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
      // Remove the branches that were not searched. Otherwise they would keep the tree in memory.
      while (waiting > 0) branches[--waiting] = undefined
    }
    return exact ?? best
  }

  /** Looks up the pattern of `rule` in all trees, and merges the rules with this pattern into one rule. */
  mergedWith(rule: CompiledRule): CompiledRule | undefined {
    let node: PatternNode | undefined = this.#root
    for (const { text, plus } of wayTo(rule)) {
      for (let at = 0; node && at < text.length; at += node?.label.length ?? 0) node = node.next(text, at, text.length)
      if (plus !== undefined) node = node?.plus
    }
    return node?.[ruleSlot(rule)]
  }

  /**
   * The most specific rule that matches every path that begins with `prefix`. Considers only patterns that end in `*` and contain no `+`.
   */
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

/** The length of a path without its final slash. */
function bareLength(path: string): number {
  const { length } = path
  return length > 0 && path.charCodeAt(length - 1) === SLASH ? length - 1 : length
}

/** Searches the remembered branches, the last one first, until the remaining branches cannot contain a more specific rule. */
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

/** The position of the end of a segment. Each end is computed once per search, because many branches may need it. */
function endOfSegment(path: string, segment: number, end: number): number {
  for (; known <= segment; known++) {
    const slash = path.indexOf('/', known === 0 ? 0 : (ends[known - 1] as number) + 1)
    ends[known] = slash < 0 ? end : slash
  }
  return ends[segment] as number
}
