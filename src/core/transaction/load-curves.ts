import type { Clock } from '../base/clock.ts'
import { loadMissingCurves } from '../crypto/curves/curve-code.ts'

/**
 * Loads the code of the curves that a run lacked, and pauses before the next run, because the first computation with a curve takes tens of
 * milliseconds. Rethrows any other error.
 */
export async function loadCurvesForRerun(clock: Clock, thrown: unknown): Promise<void> {
  await loadMissingCurves(thrown)
  await clock.sleep(0)
}
