/**
 * Work that answers at once or in steps.
 */

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

/** Work that gives way: yields between pieces, returns the result. */
export type Steps<T> = Generator<void, T, void>

/** Inputs longer than this take the `...Steps` form. */
export const SLICE_BYTES = 131_072

/**
 * Calls `take(from, to)` for consecutive pieces of at most `size` out of `length`, yielding between two of them. Nothing is called for
 * length 0. `take` runs right after a yield, so it is where a key checks that it is still alive.
 */
export function* inPieces(length: number, size: number, take: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < length; from += size) {
    if (from > 0) yield
    take(from, Math.min(from + size, length))
  }
}

/** Runs steps to their end without giving way. */
export function finish<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
