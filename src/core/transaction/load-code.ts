import type { Clock } from '../base/clock.ts'
import { loadMissingCode } from '../base/deferred-code.ts'

/**
 * Loads the code that a run lacked, and pauses before the next run, because the first computation with a curve takes tens of milliseconds.
 * Rethrows any other error.
 */
export async function loadCodeForRerun(clock: Clock, thrown: unknown): Promise<void> {
  await loadMissingCode(thrown)
  await clock.sleep(0)
}
