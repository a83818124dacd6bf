/** The keys that one key version derives. */
import { isSteps, type Steps } from '../../core/base/steps.ts'
import { texts } from '../../core/base/texts.ts'
import type { Wipeable } from '../../core/crypto/backend.ts'
import { PinnedKey } from '../../core/crypto/key-cache.ts'

/** The maximum number of derived keys that are kept per key version. */
const MAX_DERIVED_KEYS = 256

/** The memory of a derived key, together with its context. */
export const DERIVED_KEY_BYTES = 2_500

/** A key with a longer context is not kept, because looking it up would take as long as deriving it. */
const MAX_CONTEXT_BYTES = 128

/** Keeps the keys that were derived last, by context, and wipes them when they are replaced or their key version is wiped. */
export class DerivedKeys implements Wipeable {
  readonly #byContext = new Map<string, PinnedKey<Wipeable>>()

  get size(): number {
    return this.#byContext.size
  }

  /** Returns the key pinned: the caller must unpin it after use. `derive` is called if the key is not kept. */
  pin<K extends Wipeable>(context: Uint8Array, derive: () => K): PinnedKey<K> {
    if (context.length > MAX_CONTEXT_BYTES) {
      const unkept = new PinnedKey(derive()).pin()
      unkept.unlink()
      return unkept
    }
    const id = texts.base64(context)
    const known = this.#byContext.get(id) as PinnedKey<K> | undefined
    if (known) {
      known.used = true
      return known.pin()
    }
    const derived = new PinnedKey(derive())
    if (this.#byContext.size >= MAX_DERIVED_KEYS) this.#evict()
    this.#byContext.set(id, derived as PinnedKey<Wipeable>)
    // A new key counts as unused, so that contexts that occur only once do not displace those that occur often.
    derived.used = false
    return derived.pin()
  }

  wipe(): void {
    for (const key of this.#byContext.values()) key.unlink()
    this.#byContext.clear()
  }

  /** Second-chance eviction: drops the oldest key that was not used since the last sweep. */
  #evict(): void {
    for (const [id, key] of this.#byContext) {
      this.#byContext.delete(id)
      if (!key.used) {
        key.unlink()
        return
      }
      key.used = false
      this.#byContext.set(id, key)
    }
  }
}

/** Calls `work`, and unpins the key when the outcome is complete. */
export function unpinAfter<T>(key: PinnedKey<Wipeable>, work: () => T | Steps<T>): T | Steps<T> {
  let outcome: T | Steps<T> | undefined
  try {
    outcome = work()
    return isSteps(outcome) ? unpinAfterSteps(key, outcome) : outcome
  } finally {
    if (!isSteps(outcome)) key.unpin()
  }
}

function* unpinAfterSteps<T>(key: PinnedKey<Wipeable>, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps
  } finally {
    key.unpin()
  }
}
