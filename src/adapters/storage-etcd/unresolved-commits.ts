/** Commits whose outcome this process could not report to the caller. The caller may repeat such a commit with the same id. */

/** Callers repeat a commit within seconds or never, so a small number of commits suffices. */
const MAX_COMMITS = 4096

export class UnresolvedCommits {
  /** A revision that the cluster had before the first attempt, by commit id. */
  readonly #since = new Map<string, number>()

  since(id: string): number | undefined {
    return this.#since.get(id)
  }

  note(id: string, since: number): void {
    this.#since.set(id, since)
    if (this.#since.size > MAX_COMMITS) this.#since.delete(this.#since.keys().next().value!)
  }

  settle(id: string): void {
    this.#since.delete(id)
  }
}
