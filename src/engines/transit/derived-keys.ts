/** The keys that one key version derives. */
import { isSteps, type Steps } from '../../core/base/steps.ts'
import { texts } from '../../core/base/texts.ts'
import type { Wipeable } from '../../core/crypto/backend.ts'
import { KeyCache, PinnedKey } from '../../core/crypto/key-cache.ts'

/** A cache of keys has several versions of each owner. A context has one key. */
const ONLY_VERSION = 1

/** The maximum number of derived keys that are kept per key version. */
const MAX_DERIVED_KEYS = 256

/** The memory of a derived key, together with its context. */
export const DERIVED_KEY_BYTES = 2_500

/** A key with a longer context is not kept, because looking it up would take as long as deriving it. */
const MAX_CONTEXT_BYTES = 128

/** Keeps the keys that were derived last, by context, and wipes them when they are replaced or their key version is wiped. */
export class DerivedKeys implements Wipeable {
  readonly #byContext = new KeyCache<Wipeable>({ keys: MAX_DERIVED_KEYS, bytes: Number.POSITIVE_INFINITY })

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
    const pinned =
      this.#byContext.get(id, ONLY_VERSION)?.pin() ?? this.#byContext.add(id, ONLY_VERSION, derive(), this.#byContext.generation)
    return pinned as PinnedKey<K>
  }

  wipe(): void {
    this.#byContext.clear()
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
