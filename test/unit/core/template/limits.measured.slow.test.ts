import { expect } from 'vitest'
import { referenceMs } from '../../../fixtures/calibration.ts'
import { describeTemplateLimits } from './limit-cases.ts'

/** Processor milliseconds on the reference machine. */
const MAX_MS = 50

describeTemplateLimits(async (run) => {
  expect(await referenceMs(run, MAX_MS)).toBeLessThan(MAX_MS)
  return run()
})
