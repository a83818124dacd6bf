/**
 * Work that answers at once or in steps. Room: core. Imported by engines and the layer that runs operations.
 */
import type { Steps } from './crypto/backend.ts'

/** Results are plain values without a `next`. */
export const isSteps = <T>(outcome: T | Steps<T>): outcome is Steps<T> =>
  typeof outcome === 'object' && outcome !== null && typeof (outcome as Steps<T>).next === 'function'

/** `use` on the result, at once where there is one at once. */
export const thenUse = <A, B>(outcome: A | Steps<A>, use: (result: A) => B): B | Steps<B> =>
  isSteps(outcome) ? useAfter(outcome, use) : use(outcome)

function* useAfter<A, B>(steps: Steps<A>, use: (result: A) => B): Steps<B> {
  return use(yield* steps)
}
