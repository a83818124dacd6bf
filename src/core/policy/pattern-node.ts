/**
 * The nodes of the pattern tree. Room: core/policy. Imported by pattern-tree.ts.
 */
import type { CompiledRule } from './compiled-rule.ts'

/** Up to here, children are looked through one by one. */
const FEW = 4
/** Up to here, the codes of children are an index into a table: those of ASCII are. */
const WIDEST_TABLE = 128

export class PatternNode {
  /** The characters that lead here from the node above. */
  label: string
  /** The rule whose pattern ends here: without a wildcard, with `+` alone, with a star. */
  exact: CompiledRule | undefined
  whole: CompiledRule | undefined
  open: CompiledRule | undefined
  /** What follows a `+` that stands here. */
  plus: PatternNode | undefined
  /** Of a node that follows a `+`: which segment of the path that is, counted from 0. */
  readonly segment: number
  /** By the first character of their labels. */
  #children: Map<number, PatternNode> | undefined
  /** The same once more where there are few, or all near each other. */
  #codes: readonly number[] = []
  #nodes: readonly (PatternNode | undefined)[] = []
  #lowest = -1

  constructor(label: string, segment = 0) {
    this.label = label
    this.segment = segment
    this.exact = undefined
    this.whole = undefined
    this.open = undefined
    this.plus = undefined
    this.#children = undefined
  }

  get children(): Iterable<PatternNode> {
    return this.#children?.values() ?? []
  }

  /** The child whose label begins with this character, whether or not the path goes on as that label does. */
  child(code: number): PatternNode | undefined {
    if (this.#lowest >= 0) return this.#nodes[code - this.#lowest]
    const codes = this.#codes
    for (let i = 0; i < codes.length; i++) if (codes[i] === code) return this.#nodes[i]
    return codes.length === 0 ? this.#children?.get(code) : undefined
  }

  /** Where a path leads whose character at `at` is the next one to be looked at. */
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

  /** The node that `text` leads to, made where it is missing. */
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

  /** Makes children quick to find. To be called when no more are added. */
  settle(): void {
    const children = this.#children
    if (!children) return
    const codes = [...children.keys()]
    const lowest = codes.reduce((a, b) => Math.min(a, b))
    const span = codes.reduce((a, b) => Math.max(a, b)) - lowest + 1
    if (codes.length <= FEW) {
      this.#codes = codes
      this.#nodes = [...children.values()]
    } else if (span <= WIDEST_TABLE) {
      this.#lowest = lowest
      this.#nodes = Array.from({ length: span }, (_, i) => children.get(lowest + i))
    }
  }
}

function sharedLength(label: string, text: string, at: number): number {
  let length = 1
  while (length < label.length && label.charCodeAt(length) === text.charCodeAt(at + length)) length++
  return length
}
