/**
 * Days of the Gregorian calendar in UTC, with integer arithmetic.
 */

export const DAY_MS = 86_400_000

/** @property month 1 to 12. */
export interface CalendarDay {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** Days before each month, counted from March 1, so that the leap day is the last day of the year. */
const DAYS_BEFORE_MONTH = [0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337]
const DAYS_PER_400_YEARS = 146_097
/** Days from March 1 of the year 0 to January 1, 1970. */
const DAYS_TO_EPOCH = 719_468

/** The number of whole days since the Unix epoch. */
export function dayNumber({ year, month, day }: CalendarDay): number {
  const from = month > 2 ? year : year - 1
  const leapDays = Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400)
  return from * 365 + leapDays + (DAYS_BEFORE_MONTH[(month + 9) % 12] as number) + day - 1 - DAYS_TO_EPOCH
}

/** The date that is this number of days after the Unix epoch. */
export function calendarDay(number: number): CalendarDay {
  const days = number + DAYS_TO_EPOCH
  const era = Math.floor(days / DAYS_PER_400_YEARS)
  const ofEra = days - era * DAYS_PER_400_YEARS
  // Subtract the leap days first: without them, every year has 365 days.
  const leapDays = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096)
  const from = era * 400 + Math.floor((ofEra - leapDays) / 365)
  const ofYear = number - dayNumber({ year: from, month: 3, day: 1 })
  const index = DAYS_BEFORE_MONTH.findLastIndex((before) => before <= ofYear)
  const day = ofYear - (DAYS_BEFORE_MONTH[index] as number) + 1
  return index < 10 ? { year: from, month: index + 3, day } : { year: from + 1, month: index - 9, day }
}

/** Day of the week; 0 is Sunday. */
export const weekday = (number: number): number => (((number + 4) % 7) + 7) % 7
