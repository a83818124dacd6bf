/** The second implementation tests every day, and on matching days every minute. */
import { beforeAll, describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { CRON_PARSER, nextFiring } from '../../../src/engines/database/rotation/next-firing.ts'
import { parseSchedule } from '../../../src/engines/database/rotation/schedule.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { LONG_SCHEDULES } from './long-schedules.ts'

const at = (text: string): number => Date.parse(text)
const next = (text: string, after: string): string => new Date(nextFiring(parseSchedule(text), at(after))).toISOString()

beforeAll(() => CRON_PARSER.load())

describe('nextFiring', () => {
  it.each([
    ['* * * * *', '2026-11-21T10:14:38.107Z', '2026-11-21T10:15:00.000Z'],
    ['* * * * *', '2026-11-21T10:14:00Z', '2026-11-21T10:15:00.000Z'],
    ['* * * * *', '2026-11-21T10:13:59.999Z', '2026-11-21T10:14:00.000Z'],
    ['0 0 * * *', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['30 2 * * *', '2026-11-21T02:29:59Z', '2026-11-21T02:30:00.000Z'],
    ['*/20 8-10/2 * * *', '2026-11-21T08:40:00Z', '2026-11-21T10:00:00.000Z'],
    ['55/2 * * * *', '2026-11-21T08:57:00Z', '2026-11-21T08:59:00.000Z'],
    ['0 0 31 * *', '2026-01-31T00:00:00Z', '2026-03-31T00:00:00.000Z'],
    ['0 0 29 2 *', '2024-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 29 FEB ?', '2096-02-29T00:00:00Z', '2104-02-29T00:00:00.000Z'],
    ['0 12 * * sat', '2026-11-21T12:00:00Z', '2026-11-28T12:00:00.000Z'],
    ['0 12 * jan,Jul SUN-tue', '2026-11-21T12:00:00Z', '2027-01-03T12:00:00.000Z'],
    // If both day fields are restricted, either one is sufficient.
    ['0 0 1 * 1', '2026-11-21T00:00:00Z', '2026-11-23T00:00:00.000Z'],
    ['0 0 1 * 1', '2026-11-30T00:00:00Z', '2026-12-01T00:00:00.000Z'],
    ['0 0 31 2 3', '2026-02-01T00:00:00Z', '2026-02-04T00:00:00.000Z'],
    // A step restricts a field. A step of 1 and a star in a list do not.
    ['0 0 */2 * 1', '2026-11-21T00:00:00Z', '2026-11-23T00:00:00.000Z'],
    ['0 0 */2 * 1', '2026-11-23T00:00:00Z', '2026-11-25T00:00:00.000Z'],
    ['0 0 */1 * 1', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00.000Z'],
    ['0 0 *,5 * 1', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00.000Z'],
    [' 0\t0  1 1 * ', '2026-11-23T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['007 0 1 1 *', '2026-11-23T00:00:00Z', '2027-01-01T00:07:00.000Z'],
    ['0 */999 * * *', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00.000Z'],
    // A field that lists or spans all days is restricted.
    ['0 0 1 * 0-6', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00.000Z'],
    ['0 0 1-31 * 1', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00.000Z'],
    ['0 0 *,1-31 * 1', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00.000Z'],
    ['0 0 1 1 *', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z'],
    ['0 0 1 1 *', '1970-01-01T00:00:00Z', '1971-01-01T00:00:00.000Z'],
    ['59 23 29 2 *', '9896-02-29T23:59:00Z', '9904-02-29T23:59:00.000Z'],
    ['59 23 31 12 *', '9999-12-31T23:58:59.999Z', '9999-12-31T23:59:00.000Z'],
  ])('finds the next firing of %s after %s', (text, after, expected) => {
    expect(next(text, after)).toBe(expected)
  })

  // The schedules and times of the tests of robfig/cron v3, without its field for seconds (spec_test.go, TestActivation and TestNext).
  it.each([
    ['0/15 * * * *', '2012-07-09T14:45:00Z', '2012-07-09T15:00:00.000Z'],
    ['0/15 * * * *', '2012-07-09T14:59:59Z', '2012-07-09T15:00:00.000Z'],
    ['20-35/15 * * * *', '2012-07-09T15:45:00Z', '2012-07-09T16:20:00.000Z'],
    ['*/15 * * * *', '2012-07-09T23:46:00Z', '2012-07-10T00:00:00.000Z'],
    ['20-35/15 1/2 * * *', '2012-07-09T23:35:51Z', '2012-07-10T01:20:00.000Z'],
    ['20-35/15 10-12 * * *', '2012-07-09T23:35:51Z', '2012-07-10T10:20:00.000Z'],
    ['20-35/15 1/2 */2 * *', '2012-07-09T23:35:51Z', '2012-07-11T01:20:00.000Z'],
    ['20-35/15 * 9-20 Jul *', '2012-07-09T23:35:51Z', '2012-07-10T00:20:00.000Z'],
    ['0 0 9 Apr-Oct ?', '2012-07-09T23:35:00Z', '2012-08-09T00:00:00.000Z'],
    ['0 0 */5 Apr,Aug,Oct Mon', '2012-07-09T23:35:00Z', '2012-08-01T00:00:00.000Z'],
    ['0 0 */5 Oct Mon', '2012-07-09T23:35:00Z', '2012-10-01T00:00:00.000Z'],
    ['0 0 * Feb Mon', '2012-07-09T23:35:00Z', '2013-02-04T00:00:00.000Z'],
    ['0 0 * Feb Mon/2', '2012-07-09T23:35:00Z', '2013-02-01T00:00:00.000Z'],
    ['* * * * *', '2012-12-31T23:59:45Z', '2013-01-01T00:00:00.000Z'],
    ['0 0 29 Feb ?', '2012-07-09T23:35:00Z', '2016-02-29T00:00:00.000Z'],
    ['* * 1,15 * Sun', '2012-07-14T23:59:59Z', '2012-07-15T00:00:00.000Z'],
    ['* * 1,15 * Sun', '2012-07-31T23:59:59Z', '2012-08-01T00:00:00.000Z'],
    ['* * */10 * Sun', '2012-07-14T23:59:59Z', '2012-07-15T00:00:00.000Z'],
    ['* * * * Mon', '2012-07-14T23:59:59Z', '2012-07-16T00:00:00.000Z'],
    ['* * 1,15 * *', '2012-07-08T23:59:59Z', '2012-07-15T00:00:00.000Z'],
  ])('agrees with robfig/cron about %s after %s', (text, after, expected) => {
    expect(next(text, after)).toBe(expected)
  })
})

describe('parseSchedule', () => {
  it.each([
    '',
    ' ',
    '*',
    '* * * *',
    '* * * * * *',
    '0 0 0 1 1 *',
    '@daily',
    '@every 1h',
    'TZ=UTC * * * * *',
    'CRON_TZ=Europe/Berlin 0 0 * * *',
    '60 * * * *',
    '-1 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 0 *',
    '* * * 13 *',
    '* * * * 7',
    '* * L * *',
    '* * * * 5L',
    '* * 15W * *',
    '* * * * 1#2',
    'H * * * *',
    'H/5 * * * *',
    '*/0 * * * *',
    '*/ * * * *',
    '/5 * * * *',
    '*/5/5 * * * *',
    '5-1 * * * *',
    '1-2-3 * * * *',
    '1- * * * *',
    '-5 * * * *',
    '*-5 * * * *',
    '1,,2 * * * *',
    ',1 * * * *',
    '1, * * * *',
    '1.5 * * * *',
    '+1 * * * *',
    '0x1 * * * *',
    '1e0 * * * *',
    '١ * * * *',
    'jan * * * *',
    '* * mon * *',
    '* * * mon *',
    '* * * january *',
    '* * * * fri-mon',
    '** * * * *',
    '?* * * * *',
    '*\n* * * *',
    '*\u00a0* * * *',
    '* * * * *;',
    '0 0 30 2 *',
    '0 0 31 2,4,6,9,11 ?',
    '0 0 31 2 */1',
  ])('refuses %j', (text) => {
    expect(() => parseSchedule(text)).toThrow(KernelError)
    expect(() => parseSchedule(text)).toThrow(/^rotation_schedule: /)
  })

  it.each(Object.entries(LONG_SCHEDULES))('accepts %s or throws a KernelError', (_, text) => {
    try {
      parseSchedule(text)
    } catch (error) {
      expect(error).toBeInstanceOf(KernelError)
    }
  })

  it('accepts a schedule that fires only after eight years', () => {
    expect(next('59 23 29 2 *', '2096-02-29T23:59:00Z')).toBe('2104-02-29T23:59:00.000Z')
  })
})

interface FieldParts {
  readonly lowest: number
  readonly highest: number
  readonly names?: readonly string[]
}
const FIELDS: readonly FieldParts[] = [
  { lowest: 0, highest: 59 },
  { lowest: 0, highest: 23 },
  { lowest: 1, highest: 31 },
  { lowest: 1, highest: 12, names: ['JAN', 'feb', 'Mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { lowest: 0, highest: 6, names: ['sun', 'MON', 'tue', 'Wed', 'thu', 'fri', 'sat'] },
]

/** The text of a field, the values that it matches, and whether it counts as unrestricted. */
interface Made {
  readonly text: string
  readonly values: ReadonlySet<number>
  readonly open: boolean
}

function item({ lowest, highest, names }: FieldParts): fc.Arbitrary<Made> {
  const value = fc.integer({ min: lowest, max: highest })
  const shown = (number: number, named: boolean): string => (named ? names?.[number - lowest] : undefined) ?? String(number)
  const every = (from: number, to: number, step: number): Set<number> =>
    new Set(
      Array.from({ length: highest + 1 }, (_, number) => number).filter((n) => n >= from && n <= to && (n - from) % step === 0),
    )
  const step = fc.integer({ min: 1, max: highest })
  return fc.oneof(
    fc.constantFrom('*', '?').map((text) => ({ text, values: every(lowest, highest, 1), open: true })),
    step.filter((n) => n > 1).map((n) => ({ text: `*/${n}`, values: every(lowest, highest, n), open: false })),
    fc.tuple(value, fc.boolean()).map(([n, named]) => ({ text: shown(n, named), values: new Set([n]), open: false })),
    fc.tuple(value, step).map(([n, by]) => ({ text: `${n}/${by}`, values: every(n, highest, by), open: false })),
    fc.tuple(value, value, fc.boolean(), fc.option(step, { nil: undefined })).map(([a, b, named, by]) => ({
      text: `${shown(Math.min(a, b), named)}-${shown(Math.max(a, b), named)}${by === undefined ? '' : `/${by}`}`,
      values: every(Math.min(a, b), Math.max(a, b), by ?? 1),
      open: false,
    })),
  )
}

const list = (parts: FieldParts): fc.Arbitrary<Made> =>
  fc.array(item(parts), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    values: new Set(items.flatMap(({ values }) => [...values])),
    open: items.some(({ open }) => open),
  }))

const schedules = fc.tuple(
  ...(FIELDS.map(list) as [fc.Arbitrary<Made>, fc.Arbitrary<Made>, fc.Arbitrary<Made>, fc.Arbitrary<Made>, fc.Arbitrary<Made>]),
)
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Moments of the years 1999 to 2105 and 1 to 9990, half of them at the beginning of an hour. */
const moments = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: at('1999-12-30T00:00:00Z'), max: at('2105-01-01T00:00:00Z') }),
      fc.integer({ min: at('0001-01-01T00:00:00Z'), max: at('9990-01-01T00:00:00Z') }),
    ),
    fc.boolean(),
  )
  .map(([time, isExact]) => (isExact ? Math.floor(time / HOUR) * HOUR : time))

/** More than eight years. */
const MAX_DAYS = 2_930

/** Finds the first matching minute with the Date object of JavaScript. */
function searched(fields: readonly Made[], after: number): number | undefined {
  const [minute, hour, day, month, weekday] = fields as [Made, Made, Made, Made, Made]
  const today = Math.floor(after / DAY) * DAY
  for (let midnight = today; midnight < today + MAX_DAYS * DAY; midnight += DAY) {
    const date = new Date(midnight)
    if (!month.values.has(date.getUTCMonth() + 1)) continue
    const [byDay, byWeekday] = [day.values.has(date.getUTCDate()), weekday.values.has(date.getUTCDay())]
    if (!(day.open || weekday.open ? byDay && byWeekday : byDay || byWeekday)) continue
    for (let time = midnight; time < midnight + DAY; time += 60_000) {
      const moment = new Date(time)
      if (time > after && hour.values.has(moment.getUTCHours()) && minute.values.has(moment.getUTCMinutes())) return time
    }
  }
  return undefined
}

describe('nextFiring on random schedules', () => {
  it('returns the first minute that matches all fields, three times in a row', () => {
    fc.assert(
      fc.property(schedules, moments, (fields, after) => {
        const text = fields.map((field) => field.text).join(' ')
        let schedule: ReturnType<typeof parseSchedule>
        try {
          schedule = parseSchedule(text)
        } catch {
          // Refused because it never fires.
          expect(searched(fields, after)).toBeUndefined()
          return
        }
        let from = after
        for (let i = 0; i < 3; i++) {
          const expected = searched(fields, from)
          from = nextFiring(schedule, from)
          expect(from).toBe(expected)
        }
      }),
      { numRuns: runs({ quick: 300, soak: 20_000 }) },
    )
  })
})
