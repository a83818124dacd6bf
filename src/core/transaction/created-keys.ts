/**
 * The keys that a run of a transaction created. The run can use them before they are stored, and after the commit they are added to the key
 * cache.
 */
import type { Wipeable } from '../crypto/backend.ts'
import type { KeyCache, PinnedKey } from '../crypto/key-cache.ts'

interface CreatedKey {
  readonly owner: string
  readonly version: number
  readonly pinned: PinnedKey<Wipeable>
}

export class CreatedKeys {
  readonly #created = new Map<string, CreatedKey>()

  get(key: string): Wipeable | undefined {
    return this.#created.get(key)?.pinned.value
  }

  add(key: string, created: CreatedKey): void {
    this.#created.set(key, created)
  }

  /** Drops keys that will not be stored. */
  keepOnly(stored: { has(key: string): boolean }): void {
    for (const [key, { pinned }] of this.#created) {
      if (stored.has(key)) continue
      pinned.unlink()
      this.#created.delete(key)
    }
  }

  adopt(keys: KeyCache<Wipeable>): void {
    for (const { owner, version, pinned } of this.#created.values()) keys.adopt(owner, version, pinned)
    this.#created.clear()
  }

  drop(): void {
    for (const { pinned } of this.#created.values()) pinned.unlink()
    this.#created.clear()
  }
}
