/**
 * Finds the rule for a path.
 *
 * A tree of the patterns' characters, in which `+` is a separate branch. A search follows the path's characters. It passes the stars that
 * match, and remembers the branches for `+`, which it follows afterwards, the last one first: patterns in it have their first wildcard
 * latest and take precedence over all others. No node is visited twice, so time is linear in path and tree, whatever they contain.
 */
import { type CompiledRule, goesBefore } from './compiled-rule.ts'
import { ruleSlot, wayTo } from './grow-tree.ts'
import { PatternNode } from './pattern-node.ts'

/**
 * Work space of one search: the `+` branches that are still to be searched with the position of the first `+` of each, and the ends of the
 * path's segments. It is module state so that a search need not allocate; searches never interrupt each other.
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

  /** @param roots The roots of the policies' trees, made by {@link growTree}. */
  constructor(roots: readonly PatternNode[]) {
    this.#root = roots.length > 0 ? PatternNode.merged(roots) : new PatternNode('')
  }

  /**
   * The deciding rule. For a list, whose path ends in a slash, exact rules for the path with the slash come first, then those without it,
   * then rules with wildcards in the same order. So a rule for everything below a folder also covers the list of the folder, as in OpenBao
   * 2.6.
   */
  find(path: string, list: boolean): CompiledRule | undefined {
    const { length } = path
    const bare = list ? bareLength(path) : length
    const rule = this.#search(path, length, bare, undefined)
    return rule || bare === length ? rule : this.#search(path, bare, bare, undefined)
  }

  /** All matching rules in groups: earlier groups take precedence. A rule may occur twice. */
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
   * The best rule for the first `end` characters. An exact rule takes precedence over all wildcards.
   * @param bare An exact rule for the first `bare` characters counts too, after one for all of them.
   * @param all Receives every matching rule, in no particular order.
   */
  #search(path: string, end: number, bare: number, all: CompiledRule[] | undefined): CompiledRule | undefined {
    let exact: CompiledRule | undefined
    let best: CompiledRule | undefined
    let at = 0
    // An earlier search may have ended by an error, such as a stack overflow. Discard its branches.
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
      // Clear skipped branches, because they would keep a tree in memory.
      while (waiting > 0) branches[--waiting] = undefined
    }
    return exact ?? best
  }

  /** The merged rule of all trees that has the same pattern as a rule. */
  mergedWith(rule: CompiledRule): CompiledRule | undefined {
    let node: PatternNode | undefined = this.#root
    for (const { text, plus } of wayTo(rule)) {
      for (let at = 0; node && at < text.length; at += node?.label.length ?? 0) node = node.next(text, at, text.length)
      if (plus !== undefined) node = node?.plus
    }
    return node?.[ruleSlot(rule)]
  }

  /** The last rule with a star and without `+` that matches every path beginning with `prefix`. */
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

/** Searches the remembered branches, the latest first, until no better rule is possible. */
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

/** The end of a segment. Each end is computed once per search, because many branches may need that of one long segment. */
function endOfSegment(path: string, segment: number, end: number): number {
  for (; known <= segment; known++) {
    const slash = path.indexOf('/', known === 0 ? 0 : (ends[known - 1] as number) + 1)
    ends[known] = slash < 0 ? end : slash
  }
  return ends[segment] as number
}
