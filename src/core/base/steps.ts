/**
 * Work that answers at once or in steps.
 */

/**
 * Whether this is work to be done or its result. Results are bytes, plain objects and plain values, which are recognised first: looking
 * up a missing `next` on each would slow the hot path.
 */
export const isSteps = <T>(outcome: T | Steps<T>): outcome is Steps<T> =>
  typeof outcome === 'object' &&
  outcome !== null &&
  !(outcome instanceof Uint8Array) &&
  Object.getPrototypeOf(outcome) !== Object.prototype &&
  typeof (outcome as Steps<T>).next === 'function'

/** A result, the steps to it, or the promise of an external call. */
export type Outcome<T> = T | Steps<T> | Promise<T>

/** Applies `use` to the result, at once where it is available. */
export const thenUse = <A, B>(outcome: A | Steps<A>, use: (result: A) => B): B | Steps<B> =>
  isSteps(outcome) ? useAfter(outcome, use) : use(outcome)

function* useAfter<A, B>(steps: Steps<A>, use: (result: A) => B): Steps<B> {
  const result = yield* steps
  // Converting a long result, for instance to one text, is a separate piece of work.
  if (result instanceof Uint8Array && result.length > SLICE_BYTES) yield
  return use(result)
}

/**
 * Estimated work between two pauses. Estimates may be wrong by a small factor, and a collection of garbage may come on top; together they are
 * to stay below 10 ms.
 */
export const PIECE_MICROSECONDS = 2_500

/** Tells steps when to yield. */
export class Pace {
  #spent = 0

  /** Adds work done; true when it is time to yield, and then starts at zero. */
  spend(microseconds: number): boolean {
    this.#spent += microseconds
    if (this.#spent < PIECE_MICROSECONDS) return false
    this.#spent = 0
    return true
  }
}

/**
 * Work that gives way: yields between pieces, returns the result. A promise that it yields is what it waits for, and never rejects;
 * whoever runs the steps goes on when it has come.
 */
export type Steps<T> = Generator<void | Promise<void>, T, void>

/** Longer inputs take the `...Steps` form. */
export const SLICE_BYTES = 131_072

/**
 * Calls `take(from, to)` for consecutive pieces of at most `size` out of `length`, yielding before each where there are several: many calls
 * of one turn would otherwise all do their first piece in it. Length 0 makes no call. `take` runs right after a yield, so a key checks there
 * that it is still alive.
 */
export function* inPieces(length: number, size: number, take: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < length; from += size) {
    if (length > size) yield
    take(from, Math.min(from + size, length))
  }
}

/**
 * What a promise comes to, as steps; how it fails, they fail.
 * @param unused Gets what comes when the steps were given up, or had come and was not taken.
 */
export function* awaited<T>(promise: Promise<T>, unused: (late: T) => void = () => {}): Steps<T> {
  let came: { readonly value: T } | { readonly error: unknown } | undefined
  let isAwaited = true
  let goesOn = false
  try {
    yield promise.then(
      (value) => {
        if (isAwaited) came = { value }
        else unused(value)
      },
      (error: unknown) => {
        came = { error }
      },
    )
    goesOn = true
  } finally {
    isAwaited = false
    if (!goesOn && came && 'value' in came) unused(came.value)
  }
  if (!came) throw new TypeError('these steps went on too early')
  if ('error' in came) throw came.error
  return came.value
}

/** Runs steps to their end without giving way: such as wait for nothing. */
export function finish<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
