/** Computations that return their result at once or compute it in several steps. */
import { isTurnSpent } from './clock.ts'

/**
 * Whether `outcome` is a generator that has not computed its result yet. Results are bytes, plain objects and primitive values; they are
 * excluded first, because looking up the missing property `next` in each result would slow the hot path.
 */
export const isSteps = <T>(outcome: T | Steps<T>): outcome is Steps<T> =>
  typeof outcome === 'object' &&
  outcome !== null &&
  !(outcome instanceof Uint8Array) &&
  Object.getPrototypeOf(outcome) !== Object.prototype &&
  typeof (outcome as Steps<T>).next === 'function'

/** A result, a generator that computes the result, or the promise of an outside call. */
export type StepsOutcome<T> = T | Steps<T> | Promise<T>

/**
 * Applies `use` to the result: immediately if the result is available, otherwise after the generator has ended. `use` may return a result
 * or steps.
 */
export const mapOutcome = <A, B>(outcome: A | Steps<A>, use: (result: A) => B | Steps<B>): B | Steps<B> =>
  isSteps(outcome) ? useAfter(outcome, use) : use(outcome)

function* useAfter<A, B>(steps: Steps<A>, use: (result: A) => B | Steps<B>): Steps<B> {
  const result = yield* steps
  // `use` may take as long as a whole piece, for example if it converts a long result to one string.
  if (result instanceof Uint8Array && result.length > SLICE_BYTES && isTurnSpent()) yield
  const outcome = use(result)
  return isSteps(outcome) ? yield* outcome : outcome
}

/**
 * The estimated work between two yields. An estimate may be wrong by a small factor, and a garbage collection may occur during the work;
 * the work and the collection together should take less than 10 ms.
 */
export const PIECE_MICROSECONDS = 2_500

/** Decides when steps should yield. */
export class Pace {
  #spent = 0

  /** Adds the cost of work that was done. Returns true if it is time to yield, and then starts again at zero. */
  spend(microseconds: number): boolean {
    this.#spent += microseconds
    if (this.#spent < PIECE_MICROSECONDS) return false
    this.#spent = 0
    return true
  }
}

/**
 * Work in pieces: a generator that yields between pieces and returns the result. If it yields a promise, which must never reject, the code
 * that runs the steps waits for the promise before it continues.
 */
export type Steps<T> = Generator<void | Promise<void>, T, void>

/** Inputs that are longer than this are processed by the functions whose names end in `Steps`. */
export const SLICE_BYTES = 131_072

/**
 * Splits the range from 0 to `length` into pieces of at most `size` and calls `take(from, to)` for each piece in order. With length 0,
 * `take` is not called. If there are several pieces, the generator yields before each piece, including the first: otherwise, many calls in
 * one turn of the event loop would all process their first piece in that turn. `take` runs right after a yield, so it can check that a key
 * was not wiped during the yield.
 */
export function* inPieces(length: number, size: number, take: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < length; from += size) {
    if (length > size) yield
    take(from, Math.min(from + size, length))
  }
}

/**
 * Returns a generator that waits for a promise and returns its value. If the promise rejects, the generator throws.
 * @param unused Receives the value of the promise if the caller stopped running the generator before the generator could return the value.
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

/** Runs a generator to its end without pauses. Only for generators that yield no promises. */
export function runToEnd<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
