/**
 * Reads many records so that the missing ones are loaded together.
 */
import { Pace, PIECE_MICROSECONDS, type Steps } from '../base/steps.ts'
import { NEEDS_LOAD } from '../contract/signals.ts'
import type { TxOf } from '../contract/tx.ts'

/**
 * Returns the results of `read` for all items, in order. If records are missing, requests all of them and then ends the run of the
 * transaction.
 */
export function loadAll<A, B>(items: readonly A[], read: (item: A) => B): B[] {
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

/**
 * Does the same as {@link loadAll}, but yields regularly so that the event loop can do other work. For many items. @param microseconds The
 * estimated cost of one item.
 */
export function* loadAllSteps<A, B>(items: readonly A[], read: (item: A) => B, microseconds: number): Steps<B[]> {
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
 * Returns a generator that calls `read` and returns its result. If records are missing, the generator yields until they are loaded, and
 * then calls `read` again. Records that were read before the pause may have changed since. To detect such a change, `read` must also read a
 * record that every commit changes.
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

/** The number of items that are read and loaded together. */
const GROUP_ITEMS = 256

/** The estimated cost of reading and using a record. */
const READ_MICROSECONDS = 8

/**
 * Does the same as {@link loadAll} for lists that may be long, such as all tokens of a namespace. Items are read in groups, missing records
 * are loaded group by group, and the event loop can do other work between groups.
 * @param name The name under which the transaction keeps the result across its runs. It must be unique within the transaction.
 * @param microseconds The estimated cost of an item.
 */
export const loadAllInGroups = <A, B>(
  tx: Pick<TxOf<unknown>, 'steps'>,
  name: string,
  items: readonly A[],
  read: (item: A) => B,
  microseconds = READ_MICROSECONDS,
): readonly B[] =>
  items.length <= GROUP_ITEMS && items.length * microseconds <= PIECE_MICROSECONDS
    ? loadAll(items, read)
    : tx.steps(name, () => loadGroups(items, read, microseconds), 'attempt')

function* loadGroups<A, B>(items: readonly A[], read: (item: A) => B, microseconds: number): Steps<readonly B[]> {
  const size = Math.max(1, Math.min(GROUP_ITEMS, Math.floor(PIECE_MICROSECONDS / microseconds)))
  const found: B[] = []
  for (let from = 0; from < items.length; from += size) {
    const group = items.slice(from, from + size)
    found.push(...(yield* readSteps(() => loadAll(group, read))))
    yield
  }
  return found
}
