/**
 * Bounds how long work blocks the process. Only for `*.measured.slow.test.ts`, because it measures time.
 */
import { expect } from 'vitest'
import { inReferenceMs, lowest } from '../fixtures/calibration.ts'
import { longestStretch, type Watch } from './stretch.ts'

/** The longest time for which a request may block the process, in processor milliseconds of the reference machine. */
export const MAX_STRETCH_MS = 50

/** Repeats a case until its longest blocking time is below the bound, because the garbage collector may run during any single attempt. */
export const watched: Watch = async (attempt) => {
  const measure = async () => (await longestStretch(attempt)).worst
  // The calibration loop takes longer than most cases, so it runs only if this machine exceeds the bound.
  if ((await measure()) < MAX_STRETCH_MS) return
  expect(await lowest(() => inReferenceMs(measure), MAX_STRETCH_MS)).toBeLessThan(MAX_STRETCH_MS)
}
