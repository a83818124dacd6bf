/** A list whose `next()` returns each item in turn and then starts again at the first. */
export class RoundRobin<T> {
  /** The next item is the first in the list. Each item is wrapped in an object, so that an item can be added twice. */
  readonly #turns: { readonly item: T }[] = []

  get size(): number {
    return this.#turns.length
  }

  /** Returns a function that removes the item. Calling it again has no effect. */
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
