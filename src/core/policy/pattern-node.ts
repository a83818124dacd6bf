/** The nodes of a pattern tree. */
import type { CompiledRule } from './compiled-rule.ts'
import { mergeMatchingRules } from './merge-rules.ts'

/** A node with at most this many children searches them one by one. */
const FEW = 4
/** The maximum size of a node's lookup table. Large enough for all ASCII characters. */
const MAX_TABLE_WIDTH = 128
/**
 * If the nodes to be merged have at most this many children in total, the first access merges all children. Otherwise each child is merged
 * when a search reaches it.
 */
const MAX_NODES_AT_ONCE = 1024

export class PatternNode {
  /** The characters between the parent node and this node. */
  label: string
  /** The rules whose patterns end at this node: `exact` has no wildcard, `whole` has only `+`, and `open` ends in a `*`. */
  exact: CompiledRule | undefined
  whole: CompiledRule | undefined
  open: CompiledRule | undefined
  /** The child node for a `+` at this position. */
  plus: PatternNode | undefined
  /** If the node follows a `+`: the index of the segment that the `+` matches, beginning with 0. */
  readonly segment: number
  /** The children, keyed by the first character of their labels. */
  #children: Map<number, PatternNode> | undefined
  /**
   * A faster index of the children. Used if there are few children, or if the character codes at the beginning of their labels are close
   * together.
   */
  #codes: readonly number[] = []
  #nodes: readonly (PatternNode | undefined)[] = []
  #lowest = -1
  /** The nodes that this node merges, one per tree. Undefined after all their children have been merged. */
  #parts: readonly PatternNode[] | undefined

  constructor(label: string, segment = 0) {
    this.label = label
    this.segment = segment
    this.exact = undefined
    this.whole = undefined
    this.open = undefined
    this.plus = undefined
    this.#children = undefined
    this.#parts = undefined
  }

  /**
   * Merges nodes from the same position of several trees without changing the nodes. Children are merged when a search reaches them. If
   * only one of the nodes has a certain child, the merged node shares that child instead of copying it.
   * @param parts At least one node, in the order in which their rules merge. All must be settled and have the same label and segment.
   */
  static merged(parts: readonly PatternNode[]): PatternNode {
    const [first] = parts as readonly [PatternNode]
    if (parts.length === 1) return first
    const node = new PatternNode(first.label, first.segment)
    node.exact = mergeMatchingRules(parts.map(({ exact }) => exact))
    node.whole = mergeMatchingRules(parts.map(({ whole }) => whole))
    node.open = mergeMatchingRules(parts.map(({ open }) => open))
    const pluses = parts.flatMap(({ plus }) => plus ?? [])
    if (pluses.length > 0) node.plus = PatternNode.merged(pluses)
    node.#parts = parts
    return node
  }

  get children(): Iterable<PatternNode> {
    return this.#children?.values() ?? []
  }

  /** The child whose label begins with this character. Compares only the first character of the label. */
  child(code: number): PatternNode | undefined {
    if (this.#lowest >= 0) return this.#nodes[code - this.#lowest]
    const codes = this.#codes
    for (let i = 0; i < codes.length; i++) if (codes[i] === code) return this.#nodes[i]
    if (codes.length > 0) return undefined
    return this.#parts === undefined ? this.#children?.get(code) : this.#mergedChild(code, this.#parts)
  }

  /** The child that continues the path at the position `at`. Compares the whole label. */
  next(path: string, at: number, end: number): PatternNode | undefined {
    if (at >= end) return undefined
    const child = this.child(path.charCodeAt(at))
    if (child === undefined) return undefined
    const { label } = child
    const { length } = label
    if (at + length > end) return undefined
    for (let i = 1; i < length; i++) if (label.charCodeAt(i) !== path.charCodeAt(at + i)) return undefined
    return child
  }

  /** The node that is reached by the characters of `text`. Creates missing nodes. */
  descend(text: string): PatternNode {
    let node: PatternNode = this
    for (let at = 0; at < text.length; ) {
      const child = node.#children?.get(text.charCodeAt(at))
      if (!child) {
        const leaf = new PatternNode(text.slice(at))
        node.#adopt(leaf)
        return leaf
      }
      const shared = sharedLength(child.label, text, at)
      if (shared < child.label.length) {
        const middle = new PatternNode(child.label.slice(0, shared))
        node.#adopt(middle)
        child.label = child.label.slice(shared)
        middle.#adopt(child)
        node = middle
      } else node = child
      at += shared
    }
    return node
  }

  #adopt(child: PatternNode): void {
    this.#children ??= new Map()
    this.#children.set(child.label.charCodeAt(0), child)
  }

  /** Indexes the children. Must be called after the last child was added. */
  settle(): void {
    const children = this.#children
    if (!children) return
    const codes = [...children.keys()]
    const lowest = codes.reduce((a, b) => Math.min(a, b))
    const span = codes.reduce((a, b) => Math.max(a, b)) - lowest + 1
    if (codes.length <= FEW) {
      this.#codes = codes
      this.#nodes = [...children.values()]
    } else if (span <= MAX_TABLE_WIDTH) {
      this.#lowest = lowest
      this.#nodes = Array.from({ length: span }, (_, i) => children.get(lowest + i))
    }
  }

  #mergedChild(code: number, parts: readonly PatternNode[]): PatternNode | undefined {
    if (!this.#children && parts.reduce((sum, part) => sum + (part.#children?.size ?? 0), 0) <= MAX_NODES_AT_ONCE) {
      this.#mergeAll(parts)
      return this.child(code)
    }
    this.#children ??= new Map()
    const known = this.#children.get(code)
    if (known) return known
    const found: PatternNode[] = []
    for (const part of parts) {
      const child = part.child(code)
      if (child) found.push(child)
    }
    if (found.length === 0) return undefined
    const child = joined(found)
    this.#adopt(child)
    return child
  }

  #mergeAll(parts: readonly PatternNode[]): void {
    this.#parts = undefined
    const byCode = new Map<number, PatternNode[]>()
    for (const part of parts)
      for (const [code, child] of part.#children ?? []) {
        const others = byCode.get(code)
        if (others) others.push(child)
        else byCode.set(code, [child])
      }
    for (const children of byCode.values()) this.#adopt(joined(children))
    this.settle()
  }

  /**
   * Returns a node whose label is the first `length` characters of this node's label. If this node's label is longer, the returned node has
   * one child: a copy of this node whose label is the remaining characters.
   */
  below(length: number): PatternNode {
    if (this.label.length === length) return this
    const rest = new PatternNode(this.label.slice(length), this.segment)
    rest.exact = this.exact
    rest.whole = this.whole
    rest.open = this.open
    rest.plus = this.plus
    rest.#children = this.#children
    rest.#codes = this.#codes
    rest.#nodes = this.#nodes
    rest.#lowest = this.#lowest
    const middle = new PatternNode(this.label.slice(0, length))
    middle.#adopt(rest)
    middle.settle()
    return middle
  }
}

/** Merges nodes whose labels begin with the same character. The merged label is the common beginning of all labels. */
function joined(nodes: readonly PatternNode[]): PatternNode {
  const [first] = nodes as readonly [PatternNode]
  const shared = nodes.reduce((least, { label }) => Math.min(least, sharedLength(label, first.label, 0)), first.label.length)
  return PatternNode.merged(nodes.map((node) => node.below(shared)))
}

function sharedLength(label: string, text: string, at: number): number {
  let length = 1
  while (length < label.length && label.charCodeAt(length) === text.charCodeAt(at + length)) length++
  return length
}
