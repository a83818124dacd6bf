import { expect } from 'vitest'
import { referenceMs } from '../../../fixtures/calibration.ts'
import { describeHostileDecisions } from './hostile-decisions.ts'

describeHostileDecisions(13, async (acl, request, maxMs) => {
  expect(await referenceMs(() => acl.decide(request), maxMs)).toBeLessThan(maxMs)
})
