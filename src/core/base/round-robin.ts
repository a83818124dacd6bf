/** Items that take turns. */
export class RoundRobin<T> {
  /** The one whose turn is next first. Items are wrapped, so that one may be in it twice. */
  readonly #turns: { readonly item: T }[] = []

  get size(): number {
    return this.#turns.length
  }

  /** Returns what takes the item out again, at most once. */
  add(item: T): () => void {
    const turn = { item }
    this.#turns.push(turn)
    return () => {
      const at = this.#turns.indexOf(turn)
      if (at >= 0) this.#turns.splice(at, 1)
    }
  }

  next(): T | undefined {
    const turn = this.#turns.shift()
    if (!turn) return undefined
    this.#turns.push(turn)
    return turn.item
  }
}
