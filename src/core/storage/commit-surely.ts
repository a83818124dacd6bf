/**
 * A commit that is repeated until its outcome is known.
 */
import { type Commit, type Op, OutcomeUnknown, type Storage } from './port.ts'

/** How often an unknown outcome is asked for before the caller gets the error. */
const TRIES = 6

/**
 * Asks again with the same commit id while the outcome is unknown, so that nothing is done twice or reported wrongly.
 * @param mayRetry Whether time is left for another try.
 */
export async function commitSurely(
  storage: Storage,
  ops: readonly Op[],
  id: string,
  wait: (attempt: number) => Promise<void>,
  mayRetry: () => boolean = () => true,
): Promise<Commit> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await storage.commit(ops, id)
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || attempt === TRIES || !mayRetry()) throw error
      await wait(attempt)
    }
  }
}
