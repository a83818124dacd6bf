/** A cache of key versions. An operation pins a key version while using it. */
import type { Wipeable } from './backend.ts'

/**
 * A cached key version. A pinned key stays usable even after it was evicted or deleted, or the kernel was sealed. A key that is no longer in
 * the cache is wiped when its last pin is released. So no operation computes with a wiped key, and no key is kept after its last use.
 */
export class PinnedKey<K extends Wipeable> {
  readonly value: K
  #pins = 0
  #unlinked = false
  /** Set by every use of the key, and cleared by the eviction sweep. */
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

/** The cached keys. Each is stored under its owner (such as the id of a transit key) and its version. */
export class KeyCache<K extends Wipeable> {
  readonly #owners = new Map<string, Map<number, PinnedKey<K>>>()
  readonly #limit: number
  #size = 0
  #generation = 0

  /** @param limit The maximum number of cached key versions. Evicted keys that are still pinned are not counted. */
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

  /**
   * Changes whenever keys are dropped. Read it before loading a key, so that {@link add} can detect that keys were dropped during the load.
   */
  get generation(): number {
    return this.#generation
  }

  /**
   * Adds a loaded key and returns it pinned. If keys were dropped since `generation` was read, this key may be one of them, so it is not
   * cached and is wiped by its last unpin. If another request has already added the same key, returns that key and wipes `value`.
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

  /** Caches a key that a request has created and already pinned. */
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

  /** Drops all versions of an owner that was deleted. */
  drop(owner: string): void {
    this.#generation++
    const versions = this.#owners.get(owner)
    if (!versions) return
    this.#owners.delete(owner)
    this.#size -= versions.size
    for (const key of versions.values()) key.unlink()
  }

  /** Drops one version whose record was deleted. */
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

  /**
   * Evicts a key by the second-chance algorithm: walks over the owners in insertion order, and evicts the first key that was not used since
   * the last sweep.
   */
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
