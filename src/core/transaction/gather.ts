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
