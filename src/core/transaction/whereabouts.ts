/**
 * Where a run is, on whose behalf, and where it has been: its commit relies on the fences of all those places.
 */
import type { Fence, Place } from './place.ts'

export class Whereabouts<C> {
  #place: Place
  #call: C
  #been: Set<Place>
  readonly #pinned = new Map<Place, readonly Fence[]>()

  constructor(place: Place, call: C) {
    this.#place = place
    this.#call = call
    this.#been = new Set([place])
  }

  /** The place is the home place except inside {@link within}. */
  get place(): Place {
    return this.#place
  }

  get call(): C {
    return this.#call
  }

  /** Begins a run, which has visited no place yet. */
  begin(): void {
    this.#been = new Set([this.#place])
    this.#pinned.clear()
  }

  /** The commit relies on this place being as it is known to be now. */
  pin(): void {
    if (!this.#pinned.has(this.#place)) this.#pinned.set(this.#place, this.#place.fences)
  }

  /** Runs `body` in another place, on behalf of `call`. */
  within<T>(place: Place, call: C, body: () => T): T {
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

  /** @throws KernelError when a place is gone. */
  async moved(): Promise<void> {
    for (const place of this.#been) await place.moved()
  }

  get fences(): readonly Fence[] {
    const fences: Fence[] = []
    for (const place of this.#been) fences.push(...(this.#pinned.get(place) ?? place.fences))
    return fences
  }
}
