/**
 * Values that are available immediately or later. A value that is available immediately needs no promise.
 */

export type MaybePromise<T> = T | Promise<T>

/** Applies `use` to a value, immediately if it is available. */
export const whenAvailable = <A, B>(value: MaybePromise<A>, use: (value: A) => MaybePromise<B>): MaybePromise<B> =>
  value instanceof Promise ? value.then(use) : use(value)

/** Runs `run` and passes its result to `done` or its error to `failed`, immediately or later. */
export function settle<A, B>(
  run: () => MaybePromise<A>,
  done: (value: A) => MaybePromise<B>,
  failed: (thrown: unknown) => MaybePromise<B>,
): MaybePromise<B> {
  let value: MaybePromise<A>
  try {
    value = run()
  } catch (thrown) {
    return failed(thrown)
  }
  return value instanceof Promise ? value.then(done, failed) : done(value)
}
