/**
 * Values that are either available immediately or promised. Code that uses this type creates no promise for a value that is available.
 */

export type MaybePromise<T> = T | Promise<T>

/** Applies `use` to a value: immediately if the value is available, otherwise when its promise resolves. */
export const whenAvailable = <A, B>(value: MaybePromise<A>, use: (value: A) => MaybePromise<B>): MaybePromise<B> =>
  value instanceof Promise ? value.then(use) : use(value)

/** Calls `run` and passes its result to `done` or its error to `failed`: immediately, or when the returned promise settles. */
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

/** Calls `run` and passes its error, if it fails, to `failed`. */
export const recover = <T>(run: () => MaybePromise<T>, failed: (thrown: unknown) => MaybePromise<T>): MaybePromise<T> =>
  settle(run, (value) => value, failed)
