/**
 * Keys that a run created: the run can use them before they are stored, and the commit adds them to the key cache.
 */
import type { Wipeable } from '../crypto/backend.ts'
import type { KeyCache, PinnedKey } from '../crypto/key-cache.ts'

interface CreatedKey {
  readonly owner: string
  readonly version: number
  readonly pinned: PinnedKey<Wipeable>
}

export class CreatedKeys {
  readonly #made = new Map<string, CreatedKey>()

  get(key: string): Wipeable | undefined {
    return this.#made.get(key)?.pinned.value
  }

  add(key: string, made: CreatedKey): void {
    this.#made.set(key, made)
  }

  /** Drops keys that will not be stored. */
  keepOnly(stored: { has(key: string): boolean }): void {
    for (const [key, { pinned }] of this.#made) {
      if (stored.has(key)) continue
      pinned.unlink()
      this.#made.delete(key)
    }
  }

  adopt(keys: KeyCache<Wipeable>): void {
    for (const { owner, version, pinned } of this.#made.values()) keys.adopt(owner, version, pinned)
    this.#made.clear()
  }

  drop(): void {
    for (const { pinned } of this.#made.values()) pinned.unlink()
    this.#made.clear()
  }
}
