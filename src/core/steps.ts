/**
 * Work that answers at once or in steps. Room: core. Imported by engines and the layer that runs operations.
 */
import type { Steps } from './crypto/backend.ts'

/**
 * Whether this is work to be done or its result. Results are bytes, plain objects and plain values, which are told first: asking each of
 * them for a `next` it does not have would cost the hot path more than the question is worth.
 */
export const isSteps = <T>(outcome: T | Steps<T>): outcome is Steps<T> =>
  typeof outcome === 'object' &&
  outcome !== null &&
  !(outcome instanceof Uint8Array) &&
  Object.getPrototypeOf(outcome) !== Object.prototype &&
  typeof (outcome as Steps<T>).next === 'function'

/** A result, the steps to it, or the promise of somebody outside. */
export type Outcome<T> = T | Steps<T> | Promise<T>

/** `use` on the result, at once where there is one at once. */
export const thenUse = <A, B>(outcome: A | Steps<A>, use: (result: A) => B): B | Steps<B> =>
  isSteps(outcome) ? useAfter(outcome, use) : use(outcome)

function* useAfter<A, B>(steps: Steps<A>, use: (result: A) => B): Steps<B> {
  const result = yield* steps
  // Making something of a long result, such as one text, is a piece of work of its own.
  yield
  return use(result)
}

/** Estimated work between two pauses. Estimates err by a few times, and 50 ms is the most anybody may have to wait. */
export const PIECE_MICROSECONDS = 8_000

/** Tells steps when to yield. */
export class Pace {
  #spent = 0

  /** Notes work done; true when it is time to yield, after which it begins anew. */
  spend(microseconds: number): boolean {
    this.#spent += microseconds
    if (this.#spent < PIECE_MICROSECONDS) return false
    this.#spent = 0
    return true
  }
}
