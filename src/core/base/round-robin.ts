/** Items that take turns. */
export class RoundRobin<T> {
  /** The item whose turn is next comes first. Items are wrapped so that one may be added twice. */
  readonly #turns: { readonly item: T }[] = []

  get size(): number {
    return this.#turns.length
  }

  /** Returns a function that removes the item; calling it again does nothing. */
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
