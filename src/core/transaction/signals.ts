/**
 * How a synchronous run tells the request layer what it lacks. Never seen by users.
 * Room: core/transaction. Imported by the view, the transaction and the layer that runs operations.
 */

/** Something has to be loaded first; what, the transaction has noted. */
export const NEEDS_LOAD = Symbol('needs load')
/** A run that began as a read wants to write. */
export const NEEDS_WRITE = Symbol('needs write')

export const isSignal = (thrown: unknown): boolean => thrown === NEEDS_LOAD || thrown === NEEDS_WRITE

/** Reads all of them, so that everything that is missing is asked for at once, and ends the run then. */
export function gather<A, B>(items: readonly A[], read: (item: A) => B): readonly B[] {
  let missing = false
  const found: B[] = []
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
