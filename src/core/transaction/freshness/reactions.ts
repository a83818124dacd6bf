/**
 * Callbacks for changes of certain records by any process.
 */
import type { Change } from '../../storage/port.ts'

/**
 * Reads a record and acts on its value. A reaction must read through `Store` and not in a transaction, because transactions wait for
 * reactions. It may be called although the record has not changed.
 */
export type Reaction = () => void | Promise<void>

export class Reactions {
  readonly #byKey = new Map<string, Set<Reaction>>()
  /**
   * Reactions that must run and have not begun, or that have failed. The caches may be used only after all of these reactions have
   * succeeded.
   */
  readonly #due = new Set<Reaction>()
  #running: Promise<void> | undefined

  /**
   * Calls `reaction` after every reported commit that changes `key`, also after commits of this process, and whenever the report of a
   * change may have been lost. Requests that begin after the report wait for the reaction. If the reaction fails, they fail with its error.
   * @param key The storage key of a record.
   */
  onKey(key: string, reaction: Reaction): void {
    const known = this.#byKey.get(key)
    if (known) known.add(reaction)
    else this.#byKey.set(key, new Set([reaction]))
  }

  /** Whether any reaction is running or must run. */
  get pending(): boolean {
    return this.#due.size > 0 || this.#running !== undefined
  }

  /** Marks the reactions to the changed keys as due, which means that they must run. Returns whether any reaction is due as a result. */
  note({ keys }: Change): boolean {
    if (this.#byKey.size === 0) return false
    const touched = keys
      ? keys.flatMap((key) => [...(this.#byKey.get(key) ?? [])])
      : [...this.#byKey.values()].flatMap((all) => [...all])
    for (const reaction of touched) this.#due.add(reaction)
    return touched.length > 0
  }

  /** Resolves when no reaction is due. @throws The error of a reaction; the next call runs that reaction again. */
  async done(): Promise<void> {
    while (this.pending) {
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined
      })
      await this.#running
    }
  }

  async #run(): Promise<void> {
    for (const reaction of [...this.#due]) {
      this.#due.delete(reaction)
      try {
        await reaction()
      } catch (error) {
        this.#due.add(reaction)
        throw error
      }
    }
  }
}
