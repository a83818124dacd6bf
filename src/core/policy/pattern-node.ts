/** The nodes of a pattern tree. */
import type { CompiledRule } from './compiled-rule.ts'
import { mergeMatchingRules } from './merge-rules.ts'

/** Up to this number of children they are compared one by one. */
const FEW = 4
/** Child characters with codes below this are looked up in a table; it covers ASCII. */
const MAX_TABLE_WIDTH = 128
/** Up to this number, all children of a merged node are merged together; beyond it each when it is needed. */
const MAX_NODES_AT_ONCE = 1024

export class PatternNode {
  /** The characters between the parent node and this one. */
  label: string
  /** The rules whose pattern ends at this node: without a wildcard, with `+` only, with a star. */
  exact: CompiledRule | undefined
  whole: CompiledRule | undefined
  open: CompiledRule | undefined
  /** The node after a `+` at this position. */
  plus: PatternNode | undefined
  /** For a node after a `+`: the index of the segment that the `+` matches, from 0. */
  readonly segment: number
  /** By the first character of their labels. */
  #children: Map<number, PatternNode> | undefined
  /** A second index, used if there are few children or their codes are close together. */
  #codes: readonly number[] = []
  #nodes: readonly (PatternNode | undefined)[] = []
  #lowest = -1
  /** The nodes of several trees that this node merges, until all their children are merged. */
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
   * Merges nodes at the same position of several trees, without changing them. Children are merged when a search reaches them. A child of
   * only one tree is shared, so an unchanged tree is not built again.
   * @param parts At least one, all settled, with the same label and segment; in the order in which their rules merge.
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

  /** The child whose label begins with this character. The rest of its label may differ from the path. */
  child(code: number): PatternNode | undefined {
    if (this.#lowest >= 0) return this.#nodes[code - this.#lowest]
    const codes = this.#codes
    for (let i = 0; i < codes.length; i++) if (codes[i] === code) return this.#nodes[i]
    if (codes.length > 0) return undefined
    return this.#parts === undefined ? this.#children?.get(code) : this.#mergedChild(code, this.#parts)
  }

  /** The next node for a path whose next character is at `at`. */
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

  /** The node at the end of `text`. Creates missing nodes. */
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

  /** Indexes the children. Call it after the last child was added. */
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

  /** Splits the label after `length` characters and returns the upper node; the node itself if that is its whole label. */
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

/** Merges nodes whose labels begin with the same character. The merged label ends where the shortest one ends or two differ. */
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
