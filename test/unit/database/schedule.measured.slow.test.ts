import { expect, it } from 'vitest'
import { nextFiring, parseSchedule } from '../../../src/engines/database/rotation/schedule.ts'
import { referenceMs } from '../../fixtures/calibration.ts'
import { LONG_SCHEDULES } from './long-schedules.ts'

const MAX_MS = 50

it.each(Object.entries(LONG_SCHEDULES))(`parseSchedule reads or refuses %s within ${MAX_MS} ms`, async (_, text) => {
  const read = () => {
    try {
      return parseSchedule(text)
    } catch {
      return undefined
    }
  }
  expect(await referenceMs(read, MAX_MS)).toBeLessThan(MAX_MS)
})

it(`nextFiring returns the next firing in eight years within ${MAX_MS} ms`, async () => {
  const schedule = parseSchedule('59 23 29 2 *')
  expect(await referenceMs(() => nextFiring(schedule, Date.parse('2096-02-29T23:59:00Z')), MAX_MS)).toBeLessThan(MAX_MS)
})
