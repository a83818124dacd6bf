/** The possible values of all subjects, independent of the kernel. */

export const ABSENT = 'absent'

/** The outcome of a call: done, refused without a change, or unknown. */
export type Outcome = 'done' | 'refused' | 'unknown'

/** All values that each subject may have after the acknowledged changes. */
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
   * Records a change.
   * @param after The new value for each possible old value; undefined if the change is refused for that value.
   */
  changed(name: string, outcome: Outcome, after: (before: string) => string | undefined): void {
    if (outcome === 'refused') return
    const before = this.possible(name)
    const next = [...before].map(after).filter((value) => value !== undefined)
    this.#cells.set(name, new Set(outcome === 'done' ? next : [...before, ...next]))
  }

  /** Sets the only possible value. */
  set(name: string, value: string): void {
    this.#cells.set(name, new Set([value]))
  }

  /** Adds possible values. */
  join(name: string, values: Iterable<string>): void {
    this.#cells.set(name, new Set([...this.possible(name), ...values]))
  }
}
