/**
 * Values that are there at once or later: what is there at once stays without a promise.
 */

export type Eventually<T> = T | Promise<T>

/** `use` on a value, at once where it is there. */
export const whenThere = <A, B>(value: Eventually<A>, use: (value: A) => Eventually<B>): Eventually<B> =>
  value instanceof Promise ? value.then(use) : use(value)

/** What `run` comes to: `done` with its value or `failed` with what it threw, now or later. */
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
