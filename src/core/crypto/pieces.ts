/**
 * Long work in pieces, the common shape of every `...Steps` method. Room: core/crypto. Imported by the two backends.
 */
import type { Steps } from './backend.ts'

/**
 * Calls `take(from, to)` for consecutive pieces of at most `size` out of `length`, yielding between two of them. Nothing is called for
 * length 0. `take` runs right after a yield, so it is where a key checks that it is still alive.
 */
export function* inPieces(length: number, size: number, take: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < length; from += size) {
    if (from > 0) yield
    take(from, Math.min(from + size, length))
  }
}

/** Runs steps to their end without giving way. */
export function finish<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
