/**
 * Finds the rule for a path. Room: core/policy. Imported by compile.ts and explain.ts.
 *
 * A tree of the patterns' characters in which `+` is a branch of its own. A path leads down one line of literal characters; on
 * the way it passes the stars that match and meets the branches for `+`, of which the last is walked first: what lies below it
 * has its first wildcard latest and goes before all others. No node is visited twice, so time is linear in path and tree,
 * whatever they hold.
 */
import { type CompiledRule, goesBefore, grants } from './compiled-rule.ts'
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

function branchOff(node: PatternNode, first: number): void {
  branches[waiting] = node
  firsts[waiting++] = first
}

export class PatternTree {
  readonly #root = new PatternNode('')

  /** @param rules no two with one pattern. */
  constructor(rules: Iterable<CompiledRule>) {
    for (const rule of rules) this.#add(rule)
    for (const node of everyNode(this.#root)) node.settle()
  }

  #add(rule: CompiledRule): void {
    let node = this.#root
    let literal = ''
    for (const [i, segment] of (rule.pluses === 0 ? [rule.stem] : rule.stem.split('/')).entries()) {
      if (i > 0) literal += '/'
      if (segment !== '+' || rule.pluses === 0) literal += segment
      else {
        node = node.descend(literal)
        node.plus ??= new PatternNode('', i)
        node = node.plus
        literal = ''
      }
    }
    node = node.descend(literal)
    if (rule.kind === 'exact') node.exact = rule
    else if (rule.open) node.open = rule
    else node.whole = rule
  }

  /**
   * The rule that counts. For a list, whose path ends in a slash, so do rules for the path without it: the exact one after that
   * for the path as it stands, the others where nothing else matches.
   * @param all takes every rule that matches, some twice, in no order.
   */
  find(path: string, list: boolean, all?: CompiledRule[]): CompiledRule | undefined {
    const { length } = path
    const bare = list && length > 0 && path.charCodeAt(length - 1) === 0x2f ? length - 1 : length
    const found = this.#search(path, length, bare, all)
    if (bare === length || (found && !all)) return found
    const without = this.#search(path, bare, bare, all)
    return found ?? without
  }

  /** The best rule for the first `end` characters. An exact one for the first `bare` goes before all wildcards. */
  #search(path: string, end: number, bare: number, all: CompiledRule[] | undefined): CompiledRule | undefined {
    let exact: CompiledRule | undefined
    let best: CompiledRule | undefined
    let at = 0
    // Should a search have ended by an error, such as that of a full stack, its branches must not decide about this path.
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
      // What was left out is forgotten, lest it keep a tree alive.
      while (waiting > 0) branches[--waiting] = undefined
    }
    return exact ?? best
  }

  /** Whether any rule grants anything for some path that begins with `prefix`; see `Acl`. */
  reaches(prefix: string): boolean {
    const here = this.find(prefix, true)
    if (here && grants(here)) return true
    const end = prefix.length
    known = 0
    // Whatever begins with the prefix meets this star, so rules that it goes before count for nothing below.
    let star: CompiledRule | undefined
    let at = 0
    for (let node: PatternNode | undefined = this.#root; node; node = node.next(prefix, at, end)) {
      at += node.label.length
      if (node.open?.kind === 'prefix') star = node.open
    }
    const counts = (rule: CompiledRule | undefined): boolean =>
      rule !== undefined && grants(rule) && (!star || rule === star || rule.kind === 'exact' || goesBefore(rule, star))
    const starts = [{ node: this.#root, at: 0 }]
    for (let start = starts.pop(); start; start = starts.pop()) {
      at = start.at
      for (let node: PatternNode | undefined = start.node; node; node = node.next(prefix, at, end)) {
        at += node.label.length
        if (counts(node.open)) return true
        if (at === end) {
          if (anyBelow(node, counts)) return true
          break
        }
        if (node.plus) starts.push({ node: node.plus, at: endOfSegment(prefix, node.plus.segment, end) })
        const child: PatternNode | undefined = node.child(prefix.charCodeAt(at))
        // The prefix ends within a label.
        if (child && child.label.length > end - at && child.label.startsWith(prefix.slice(at)) && anyBelow(child, counts))
          return true
      }
    }
    return false
  }
}

/** Walks the branches, latest first, until what is left cannot be better. */
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

/** Where a segment ends. Each end is looked for once in a search: many branches may ask for that of one long segment. */
function endOfSegment(path: string, segment: number, end: number): number {
  for (; known <= segment; known++) {
    const slash = path.indexOf('/', known === 0 ? 0 : (ends[known - 1] as number) + 1)
    ends[known] = slash < 0 ? end : slash
  }
  return ends[segment] as number
}

function anyBelow(from: PatternNode, counts: (rule: CompiledRule | undefined) => boolean): boolean {
  for (const node of everyNode(from)) if (counts(node.exact) || counts(node.whole) || counts(node.open)) return true
  return false
}

function* everyNode(from: PatternNode): Generator<PatternNode, void, void> {
  const nodes = [from]
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    yield node
    if (node.plus) nodes.push(node.plus)
    for (const child of node.children) nodes.push(child)
  }
}
