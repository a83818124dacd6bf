/**
 * Values that are available immediately or later. A value that is available immediately needs no promise.
 */

export type Eventually<T> = T | Promise<T>

/** Applies `use` to a value, immediately if it is available. */
export const whenThere = <A, B>(value: Eventually<A>, use: (value: A) => Eventually<B>): Eventually<B> =>
  value instanceof Promise ? value.then(use) : use(value)

/** Runs `run` and passes its result to `done` or its error to `failed`, immediately or later. */
export function outcomeOf<A, B>(
  run: () => Eventually<A>,
  done: (value: A) => Eventually<B>,
  failed: (thrown: unknown) => Eventually<B>,
): Eventually<B> {
  let value: Eventually<A>
  try {
    value = run()
  } catch (thrown) {
    return failed(thrown)
  }
  return value instanceof Promise ? value.then(done, failed) : done(value)
}
