/**
 * Cached key material that cannot vanish under an operation.
 */
import type { Wipeable } from './backend.ts'

/**
 * One key version in the cache. While pinned it stays usable even when it was evicted, deleted or sealed away meanwhile; the last
 * unpin of an unlinked key wipes it. So nothing is ever computed under zeros, and nothing outlives its use.
 */
export class PinnedKey<K extends Wipeable> {
  readonly value: K
  #pins = 0
  #unlinked = false
  /** Set by every use, cleared by the sweep. */
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

  /** Takes it out of circulation; wipes at once when nobody uses it. */
  unlink(): void {
    this.#unlinked = true
    if (this.#pins === 0) this.value.wipe()
  }
}

/** Keys by owner (a key ring's id) and version. */
export class KeyCache<K extends Wipeable> {
  readonly #owners = new Map<string, Map<number, PinnedKey<K>>>()
  readonly #limit: number
  #size = 0
  #generation = 0

  /** @param limit The most key versions kept; pinned ones that were evicted live on until their operation ends. */
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

  /** Changes whenever keys are dropped. Read it before a load, so that {@link add} can tell what was dropped meanwhile. */
  get generation(): number {
    return this.#generation
  }

  /**
   * Adds a key that was loaded since `generation` and returns it pinned. What was dropped meanwhile is not brought back: such a key
   * lives until it is unpinned. When another request added the same one first, that one is returned and `value` wiped.
   */
  add(owner: string, version: number, value: K, generation: number): PinnedKey<K> {
    const known = this.get(owner, version)
    if (known) {
      value.wipe()
      return known.pin()
    }
    if (generation !== this.#generation) {
      const passing = new PinnedKey(value).pin()
      passing.unlink()
      return passing
    }
    const added = new PinnedKey(value).pin()
    this.adopt(owner, version, added)
    return added
  }

  /** Takes in a key that its request made and holds pinned. */
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

  /** All versions of an owner, after its deletion. */
  drop(owner: string): void {
    this.#generation++
    const versions = this.#owners.get(owner)
    if (!versions) return
    this.#owners.delete(owner)
    this.#size -= versions.size
    for (const key of versions.values()) key.unlink()
  }

  /** One version: its record is gone from the store. */
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

  /** Second chance over owners in order of arrival: the first key not used since it was last looked at goes. */
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
