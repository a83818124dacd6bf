/** A cache of key versions that can be pinned while an operation uses them. */
import type { Wipeable } from './backend.ts'

/**
 * One cached key version. A pinned key stays usable even if it is evicted, deleted or sealed; the last unpin of an unlinked key wipes it.
 * So no operation computes with a zeroed key, and no key outlives its use.
 */
export class PinnedKey<K extends Wipeable> {
  readonly value: K
  #pins = 0
  #unlinked = false
  /** Set by every use, cleared by the eviction sweep. */
  used = true

  constructor(value: K) {
    this.value = value
  }

  pin(): this {
    this.#pins++
    return this
  }

  unpin(): void {
    this.#pins--
    if (this.#pins === 0 && this.#unlinked) this.value.wipe()
  }

  /** Removes the key from the cache. Wipes it immediately if it is not pinned. */
  unlink(): void {
    this.#unlinked = true
    if (this.#pins === 0) this.value.wipe()
  }
}

/** Keys by owner (such as a ring id) and version. */
export class KeyCache<K extends Wipeable> {
  readonly #owners = new Map<string, Map<number, PinnedKey<K>>>()
  readonly #limit: number
  #size = 0
  #generation = 0

  /** @param limit Maximum number of cached key versions. Evicted pinned keys exist in addition, until they are unpinned. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#size
  }

  get(owner: string, version: number): PinnedKey<K> | undefined {
    const found = this.#owners.get(owner)?.get(version)
    if (found) found.used = true
    return found
  }

  /** Changes whenever keys are dropped. Read it before loading a key, so that {@link add} can detect a drop during the load. */
  get generation(): number {
    return this.#generation
  }

  /**
   * Adds a loaded key and returns it pinned. If keys were dropped since `generation`, the key may be one of them: it is not cached and
   * lives only until it is unpinned. If another request added the same key first, that key is returned and `value` is wiped.
   */
  add(owner: string, version: number, value: K, generation: number): PinnedKey<K> {
    const known = this.get(owner, version)
    if (known) {
      value.wipe()
      return known.pin()
    }
    if (generation !== this.#generation) {
      const uncached = new PinnedKey(value).pin()
      uncached.unlink()
      return uncached
    }
    const added = new PinnedKey(value).pin()
    this.adopt(owner, version, added)
    return added
  }

  /** Caches a key that a request has created and pinned. */
  adopt(owner: string, version: number, key: PinnedKey<K>): void {
    const versions = this.#owners.get(owner) ?? new Map<number, PinnedKey<K>>()
    if (versions.has(version)) {
      key.unlink()
      return
    }
    if (this.#size >= this.#limit) this.#sweep()
    versions.set(version, key)
    this.#owners.set(owner, versions)
    this.#size++
  }

  /** Drops all versions of a deleted owner. */
  drop(owner: string): void {
    this.#generation++
    const versions = this.#owners.get(owner)
    if (!versions) return
    this.#owners.delete(owner)
    this.#size -= versions.size
    for (const key of versions.values()) key.unlink()
  }

  /** Drops one version, because its record was deleted. */
  dropVersion(owner: string, version: number): void {
    const versions = this.#owners.get(owner)
    const key = versions?.get(version)
    if (!versions || !key) return
    this.#generation++
    versions.delete(version)
    if (versions.size === 0) this.#owners.delete(owner)
    this.#size--
    key.unlink()
  }

  clear(): void {
    this.#generation++
    for (const owner of [...this.#owners.keys()]) this.drop(owner)
  }

  /** Second-chance eviction over owners in insertion order: evicts the first key that was not used since the last sweep. */
  #sweep(): void {
    for (let round = 0; round < 2; round++) {
      for (const [owner, versions] of this.#owners) {
        for (const [version, key] of versions) {
          if (key.used) {
            key.used = false
            continue
          }
          versions.delete(version)
          if (versions.size === 0) this.#owners.delete(owner)
          this.#size--
          key.unlink()
          return
        }
      }
    }
  }
}
