/** A cache of key versions. An operation pins a key version while using it. */
import type { Wipeable } from './backend.ts'

/** A key that can tell how much memory it takes. */
export interface CacheableKey extends Wipeable {
  /** The estimated memory in bytes, which may grow when the key is used. Default: {@link DEFAULT_KEY_BYTES}. */
  readonly memoryBytes?: number
}

/** The memory of a symmetric key, together with its place in the cache. */
export const DEFAULT_KEY_BYTES = 3_000

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

export interface KeyCacheLimits {
  /** The maximum number of key versions. */
  readonly keys: number
  /** The maximum memory of all key versions in bytes. The last key version that was added may exceed it. */
  readonly bytes: number
}

/** The number and memory of the cached keys, and how often a needed key was in the cache. */
export interface KeyCacheUse {
  /** The number of cached key versions. */
  readonly keys: number
  /** Their estimated memory in bytes. */
  readonly bytes: number
  /** How often a needed key version was in the cache. */
  readonly hits: number
  /** How often a needed key version had to be loaded. */
  readonly misses: number
}

interface CacheEntry<K extends CacheableKey> {
  readonly owner: string
  readonly version: number
  readonly key: PinnedKey<K>
  /** The memory that the cache has counted for this key. */
  bytes: number
}

/**
 * The cached keys. Each is stored under its owner (such as the id of a transit key) and its version. Evicted keys that are still pinned are
 * not counted.
 */
export class KeyCache<K extends CacheableKey> {
  readonly #owners = new Map<string, Map<number, CacheEntry<K>>>()
  /** All entries, in the order in which the eviction visits them. */
  readonly #order = new Set<CacheEntry<K>>()
  readonly #limits: KeyCacheLimits
  #bytes = 0
  #hits = 0
  #misses = 0
  #generation = 0
  #isTrimming = false

  constructor(limits: KeyCacheLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#order.size
  }

  get use(): KeyCacheUse {
    return { keys: this.#order.size, bytes: this.#bytes, hits: this.#hits, misses: this.#misses }
  }

  get(owner: string, version: number): PinnedKey<K> | undefined {
    const found = this.#owners.get(owner)?.get(version)
    if (!found) return undefined
    this.#hits++
    const { key } = found
    key.used = true
    if (bytesOf(key) !== found.bytes) this.#weighAgain(found)
    return key
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
    this.#misses++
    const known = this.#owners.get(owner)?.get(version)?.key
    if (known) {
      value.wipe()
      known.used = true
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
    const versions = this.#owners.get(owner) ?? new Map<number, CacheEntry<K>>()
    if (versions.has(version)) {
      key.unlink()
      return
    }
    const entry = { owner, version, key, bytes: bytesOf(key) }
    // A new key counts as unused, so that keys that are used only once do not displace those that are used often.
    key.used = false
    this.#trim(this.#limits.keys - 1, this.#limits.bytes - entry.bytes)
    versions.set(version, entry)
    this.#owners.set(owner, versions)
    this.#order.add(entry)
    this.#bytes += entry.bytes
  }

  /** Drops all versions of an owner that was deleted. */
  drop(owner: string): void {
    this.#generation++
    for (const entry of this.#owners.get(owner)?.values() ?? []) this.#remove(entry)
  }

  /** Drops one version whose record was deleted. */
  dropVersion(owner: string, version: number): void {
    const entry = this.#owners.get(owner)?.get(version)
    if (!entry) return
    this.#generation++
    this.#remove(entry)
  }

  clear(): void {
    this.#generation++
    for (const entry of this.#order) this.#remove(entry)
  }

  #remove(entry: CacheEntry<K>): void {
    const { owner, version, key } = entry
    const versions = this.#owners.get(owner)
    versions?.delete(version)
    if (versions?.size === 0) this.#owners.delete(owner)
    this.#order.delete(entry)
    this.#bytes -= entry.bytes
    key.unlink()
  }

  /**
   * Counts the memory of a key that has grown. Eviction waits for the end of the synchronous run that uses the key, because such a run does
   * not pin its keys.
   */
  #weighAgain(entry: CacheEntry<K>): void {
    const bytes = bytesOf(entry.key)
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
    if (this.#bytes <= this.#limits.bytes || this.#isTrimming) return
    this.#isTrimming = true
    queueMicrotask(() => {
      this.#isTrimming = false
      this.#trim(this.#limits.keys, this.#limits.bytes)
    })
  }

  /** Second-chance eviction: drops the oldest keys that were not used since the last eviction passed them, until the limits are met. */
  #trim(maxKeys: number, maxBytes: number): void {
    if (this.#order.size <= maxKeys && this.#bytes <= maxBytes) return
    for (const entry of this.#order) {
      if (!entry.key.used) {
        this.#remove(entry)
        if (this.#order.size <= maxKeys && this.#bytes <= maxBytes) return
        continue
      }
      entry.key.used = false
      this.#order.delete(entry)
      this.#order.add(entry)
    }
  }
}

const bytesOf = <K extends CacheableKey>({ value }: PinnedKey<K>): number => value.memoryBytes ?? DEFAULT_KEY_BYTES
