/**
 * A commit whose outcome is learnt.
 */
import { type Commit, type Op, OutcomeUnknown, type Storage } from './port.ts'

/** How often an unknown outcome is asked for before the caller hears of it. */
const TRIES = 6

/** Asks again with the same id while the outcome is unknown, so that nothing is ever done twice or reported wrongly. */
export async function commitSurely(
  storage: Storage,
  ops: readonly Op[],
  id: string,
  wait: (attempt: number) => Promise<void>,
): Promise<Commit> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await storage.commit(ops, id)
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || attempt === TRIES) throw error
      await wait(attempt)
    }
  }
}
