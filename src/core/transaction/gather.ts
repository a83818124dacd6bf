/**
 * Reads many records so that the missing ones are loaded together.
 */
import { Pace, type Steps } from '../base/steps.ts'
import { NEEDS_LOAD } from '../contract/signals.ts'

/** The results of `read` for each item, in order. Where some need loading, all are requested before the run ends. */
export function gather<A, B>(items: readonly A[], read: (item: A) => B): B[] {
  const found: B[] = []
  let missing = false
  for (const item of items) {
    try {
      found.push(read(item))
    } catch (thrown) {
      if (thrown !== NEEDS_LOAD) throw thrown
      missing = true
    }
  }
  if (missing) throw NEEDS_LOAD
  return found
}

/** {@link gather} in pieces, for items of which there may be many. @param microseconds Estimated cost of an item. */
export function* gatherSteps<A, B>(items: readonly A[], read: (item: A) => B, microseconds: number): Steps<B[]> {
  const pace = new Pace()
  const found: B[] = []
  let missing = false
  for (const item of items) {
    try {
      found.push(read(item))
    } catch (thrown) {
      if (thrown !== NEEDS_LOAD) throw thrown
      missing = true
    }
    if (pace.spend(microseconds)) yield
  }
  if (missing) throw NEEDS_LOAD
  return found
}

/**
 * What `read` finds, as a part of the steps of a transaction: where records are missing the steps pause until they are loaded, and go on
 * where they were. Of what was read before the pause only a record that every commit changes tells that it still holds.
 */
export function* readSteps<T>(read: () => T): Steps<T> {
  for (;;) {
    try {
      return read()
    } catch (thrown) {
      if (thrown !== NEEDS_LOAD) throw thrown
    }
    yield
  }
}
