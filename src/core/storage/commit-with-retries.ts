import { type Commit, type Op, OutcomeUnknown, type Storage } from './port.ts'

/** The maximum number of attempts while the outcome is unknown. */
const MAX_TRIES = 6

/**
 * Commits the ops. If the storage cannot report the outcome, repeats the commit under the same commit id, so that the commit takes effect
 * at most once and its result is reported correctly.
 * @param mayRetry Whether there is time for another attempt.
 */
export async function commitWithRetries(
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
      if (!(error instanceof OutcomeUnknown) || attempt === MAX_TRIES || !mayRetry()) throw error
      await wait(attempt)
    }
  }
}
