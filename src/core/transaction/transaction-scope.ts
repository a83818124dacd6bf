/**
 * The keyspaces that a run uses, and the call it runs for. The run's commit expects the fences of all these keyspaces.
 */
import type { Fence, Keyspace } from './keyspace.ts'

export class TransactionScope<C> {
  #place: Keyspace
  #call: C
  #been: Set<Keyspace>
  readonly #pinned = new Map<Keyspace, readonly Fence[]>()

  constructor(keyspace: Keyspace, call: C) {
    this.#place = keyspace
    this.#call = call
    this.#been = new Set([keyspace])
  }

  /** The home keyspace, except inside {@link within}. */
  get place(): Keyspace {
    return this.#place
  }

  get call(): C {
    return this.#call
  }

  /** Begins a run, which has only visited its home keyspace. */
  begin(): void {
    this.#been = new Set([this.#place])
    this.#pinned.clear()
  }

  /** Makes the commit expect this keyspace's fences as they are now. */
  pin(): void {
    if (!this.#pinned.has(this.#place)) this.#pinned.set(this.#place, this.#place.fences)
  }

  /** Runs `body` in another keyspace, on behalf of `call`. */
  within<T>(place: Keyspace, call: C, body: () => T): T {
    const [from, asked] = [this.#place, this.#call]
    this.#been.add(place)
    this.#place = place
    this.#call = call
    try {
      return body()
    } finally {
      this.#place = from
      this.#call = asked
    }
  }

  /** @throws KernelError when a keyspace is gone. */
  async revalidate(): Promise<void> {
    for (const place of this.#been) await place.revalidate()
  }

  get fences(): readonly Fence[] {
    const fences: Fence[] = []
    for (const place of this.#been) fences.push(...(this.#pinned.get(place) ?? place.fences))
    return fences
  }
}
