/** Commits of which this process could not tell its callers what became of them, and who may ask again by their id. */

/** Callers ask again within seconds, or never. */
const MOST = 4096

export class Doubts {
  /** By id: a revision that the cluster had before the first attempt. */
  readonly #since = new Map<string, number>()

  since(id: string): number | undefined {
    return this.#since.get(id)
  }

  note(id: string, since: number): void {
    this.#since.set(id, since)
    if (this.#since.size > MOST) this.#since.delete(this.#since.keys().next().value!)
  }

  settle(id: string): void {
    this.#since.delete(id)
  }
}
