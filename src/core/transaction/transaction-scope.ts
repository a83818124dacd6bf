/**
 * The keyspaces that a run of a transaction uses, and the call on whose behalf it runs. The commit checks the fences of all these
 * keyspaces: record versions that every commit in a keyspace expects.
 */
import type { Fence, Keyspace } from './keyspace.ts'

export class TransactionScope<C> {
  #keyspace: Keyspace
  #call: C
  #visited: Set<Keyspace>
  readonly #pinned = new Map<Keyspace, readonly Fence[]>()

  constructor(keyspace: Keyspace, call: C) {
    this.#keyspace = keyspace
    this.#call = call
    this.#visited = new Set([keyspace])
  }

  /** The keyspace of the transaction; inside {@link within}, the keyspace that was passed to it. */
  get keyspace(): Keyspace {
    return this.#keyspace
  }

  get call(): C {
    return this.#call
  }

  /** Begins a run. At its beginning, only the transaction's own keyspace counts as used. */
  begin(): void {
    this.#visited = new Set([this.#keyspace])
    this.#pinned.clear()
  }

  /**
   * Records the present versions of the current keyspace's fences. The commit then checks these versions, even if the fences change before
   * it.
   */
  pin(): void {
    if (!this.#pinned.has(this.#keyspace)) this.#pinned.set(this.#keyspace, this.#keyspace.fences)
  }

  /** Runs `body` with another keyspace as the current one, on behalf of `call`. */
  within<T>(keyspace: Keyspace, call: C, body: () => T): T {
    const [outerKeyspace, outerCall] = [this.#keyspace, this.#call]
    this.#visited.add(keyspace)
    this.#keyspace = keyspace
    this.#call = call
    try {
      return body()
    } finally {
      this.#keyspace = outerKeyspace
      this.#call = outerCall
    }
  }

  /** @throws KernelError if a keyspace no longer exists. */
  async revalidate(): Promise<void> {
    for (const keyspace of this.#visited) await keyspace.revalidate()
  }

  get fences(): readonly Fence[] {
    const fences: Fence[] = []
    for (const keyspace of this.#visited) fences.push(...(this.#pinned.get(keyspace) ?? keyspace.fences))
    return fences
  }
}
