/**
 * Reads many records so that the missing ones are loaded together.
 */
import { Pace, PIECE_MICROSECONDS, type Steps } from '../base/steps.ts'
import { NEEDS_LOAD } from '../contract/signals.ts'
import type { TxOf } from '../contract/tx.ts'

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

/** Items that are read and loaded in one piece. */
const GROUP = 256

/** Estimated cost of reading and using a record. */
const READ_MICROSECONDS = 8

/**
 * {@link gather} for a list that may be long, such as all tokens of a namespace: it is read in groups that give way to the event loop, and
 * missing records are loaded group by group.
 * @param name Of these steps within the transaction.
 * @param microseconds Estimated cost of an item.
 */
export const gatherMany = <A, B>(
  tx: Pick<TxOf<unknown>, 'steps'>,
  name: string,
  items: readonly A[],
  read: (item: A) => B,
  microseconds = READ_MICROSECONDS,
): readonly B[] =>
  items.length <= GROUP && items.length * microseconds <= PIECE_MICROSECONDS
    ? gather(items, read)
    : tx.steps(name, () => gatherGroups(items, read, microseconds), 'attempt')

function* gatherGroups<A, B>(items: readonly A[], read: (item: A) => B, microseconds: number): Steps<readonly B[]> {
  const size = Math.max(1, Math.min(GROUP, Math.floor(PIECE_MICROSECONDS / microseconds)))
  const found: B[] = []
  for (let from = 0; from < items.length; from += size) {
    const group = items.slice(from, from + size)
    found.push(...(yield* readSteps(() => gather(group, read))))
    yield
  }
  return found
}
