/** What may be where: maps of texts, and nothing of the kernel. */

export const ABSENT = 'absent'

/** What became of a call: it was done, it was refused and has changed nothing, or nobody knows. */
export type Outcome = 'done' | 'refused' | 'unknown'

/** Of each thing all values that it may have, by what was acknowledged. */
export class Model {
  readonly #cells = new Map<string, Set<string>>()

  constructor(from?: Model) {
    for (const [name, values] of from ? from.#cells : []) this.#cells.set(name, new Set(values))
  }

  get names(): readonly string[] {
    return [...this.#cells.keys()]
  }

  possible(name: string): ReadonlySet<string> {
    return this.#cells.get(name) ?? new Set([ABSENT])
  }

  /**
   * A change was asked for.
   * @param after What follows from each value; undefined: the change is refused there.
   */
  changed(name: string, outcome: Outcome, after: (before: string) => string | undefined): void {
    if (outcome === 'refused') return
    const before = this.possible(name)
    const next = [...before].map(after).filter((value) => value !== undefined)
    this.#cells.set(name, new Set(outcome === 'done' ? next : [...before, ...next]))
  }

  /** From now on it is this: nobody promised that it would stay what it was. */
  set(name: string, value: string): void {
    this.#cells.set(name, new Set([value]))
  }

  /** From now on it is one of these. */
  join(name: string, values: Iterable<string>): void {
    this.#cells.set(name, new Set([...this.possible(name), ...values]))
  }
}
