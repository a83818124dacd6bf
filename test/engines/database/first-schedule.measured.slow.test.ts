import { expect, it } from 'vitest'
import { lowest } from '../../fixtures/calibration.ts'
import { resultOf } from './first-schedule.ts'

const MAX_STRETCH_MS = 50

it(`the first schedule of a process delays other requests by less than ${MAX_STRETCH_MS} ms, if it fires in eight years`, async () => {
  const measure = async () => (await resultOf('writeLeapDay', { now: '2096-02-29T23:59:00Z' })).stretchMs
  expect(await lowest(measure, MAX_STRETCH_MS)).toBeLessThan(MAX_STRETCH_MS)
})
