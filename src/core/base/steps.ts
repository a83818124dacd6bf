/**
 * Work that returns its result at once or in several steps.
 */

/**
 * Whether `outcome` is work to be done, not its result. Results are bytes, plain objects and primitive values. These are recognized first,
 * because looking up a missing `next` on each would slow the hot path.
 */
export const isSteps = <T>(outcome: T | Steps<T>): outcome is Steps<T> =>
  typeof outcome === 'object' &&
  outcome !== null &&
  !(outcome instanceof Uint8Array) &&
  Object.getPrototypeOf(outcome) !== Object.prototype &&
  typeof (outcome as Steps<T>).next === 'function'

/** A result, the steps that compute it, or the promise of an outside call. */
export type StepsOutcome<T> = T | Steps<T> | Promise<T>

/** Applies `use` to the result, immediately if it is available. */
export const mapOutcome = <A, B>(outcome: A | Steps<A>, use: (result: A) => B): B | Steps<B> =>
  isSteps(outcome) ? useAfter(outcome, use) : use(outcome)

function* useAfter<A, B>(steps: Steps<A>, use: (result: A) => B): Steps<B> {
  const result = yield* steps
  // Converting a long result, for example to one string, is a separate piece of work.
  if (result instanceof Uint8Array && result.length > SLICE_BYTES) yield
  return use(result)
}

/**
 * Estimated work between two pauses. Estimates may be wrong by a small factor, and a garbage collection may be added; together they should
 * stay below 10 ms.
 */
export const PIECE_MICROSECONDS = 2_500

/** Decides when steps should yield. */
export class Pace {
  #spent = 0

  /** Adds the cost of work done. Returns true if it is time to yield, and then restarts at zero. */
  spend(microseconds: number): boolean {
    this.#spent += microseconds
    if (this.#spent < PIECE_MICROSECONDS) return false
    this.#spent = 0
    return true
  }
}

/**
 * Work in pieces: a generator that yields between pieces and returns the result. If it yields a promise, which must never reject, its
 * driver waits for the promise before it continues.
 */
export type Steps<T> = Generator<void | Promise<void>, T, void>

/** Longer inputs are processed by the functions whose names end in `Steps`. */
export const SLICE_BYTES = 131_072

/**
 * Calls `take(from, to)` for consecutive pieces of at most `size` out of `length`. If there are several pieces, it yields before each one;
 * otherwise, many calls in one turn of the event loop would all do their first piece there. With length 0, `take` is not called. `take`
 * runs right after a yield, so it can check that a key was not wiped in between.
 */
export function* inPieces(length: number, size: number, take: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < length; from += size) {
    if (length > size) yield
    take(from, Math.min(from + size, length))
  }
}

/**
 * The result of a promise, as steps. If the promise rejects, the steps throw.
 * @param unused Receives a result that nothing uses, because the steps were abandoned.
 */
export function* awaitInSteps<T>(promise: Promise<T>, unused: (late: T) => void = () => {}): Steps<T> {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined
  let isAwaited = true
  let isResumed = false
  try {
    yield promise.then(
      (value) => {
        if (isAwaited) outcome = { value }
        else unused(value)
      },
      (error: unknown) => {
        outcome = { error }
      },
    )
    isResumed = true
  } finally {
    isAwaited = false
    if (!isResumed && outcome && 'value' in outcome) unused(outcome.value)
  }
  if (!outcome) throw new TypeError('steps: resumed before the promise was settled')
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

/** Runs steps to their end without yielding, for steps that wait for nothing. */
export function runToEnd<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
