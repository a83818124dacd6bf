import { expect } from 'vitest'
import { referenceMs } from '../../fixtures/calibration.ts'
import { describeBadInput } from './bad-input-cases.ts'

/** Processor milliseconds on the reference machine. */
const MAX_MS = 50

describeBadInput(async (call) => {
  expect(await referenceMs(call, MAX_MS)).toBeLessThan(MAX_MS)
  return call()
})
