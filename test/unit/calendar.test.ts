import { expect, it } from 'vitest'
import { calendarDay, DAY_MS, dayNumber, weekday } from '../../src/core/base/calendar.ts'
import fc from '../fixtures/fast-check.ts'

const check = (number: number): void => {
  const date = new Date(number * DAY_MS)
  const day = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
  expect(calendarDay(number)).toEqual(day)
  expect(dayNumber(day)).toBe(number)
  expect(weekday(number)).toBe(date.getUTCDay())
}

it('calendarDay, dayNumber and weekday return the same results as Date around century turns and leap years', () => {
  for (const year of [1600, 1900, 1970, 1972, 2000, 2026, 2096, 2100, 2104, 2400]) {
    const first = Date.UTC(year, 0, 1) / DAY_MS
    for (let number = first - 1; number < first + 367; number++) check(number)
  }
})

it('calendarDay, dayNumber and weekday return the same results as Date over ten thousand years', () => {
  fc.assert(fc.property(fc.integer({ min: -719_000, max: 2_932_896 }), check))
})
