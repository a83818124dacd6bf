/** The second implementations are a walk over all minutes and cron-parser. */
import { CronExpressionParser } from 'cron-parser'
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { nextFiring, parseSchedule } from '../../../src/engines/database/rotation/schedule.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { LONG_SCHEDULES } from './long-schedules.ts'

const at = (text: string): number => Date.parse(text)
const next = (text: string, after: string): string => new Date(nextFiring(parseSchedule(text), at(after))).toISOString()

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
  ])('finds the next firing of %s after %s', (text, after, expected) => {
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
const moments = fc.integer({ min: at('1999-12-30T00:00:00Z'), max: at('2105-01-01T00:00:00Z') })

/** Checks each minute with the Date object of JavaScript, up to `most` minutes. */
function walked(fields: readonly Made[], after: number, most: number): number | undefined {
  const [minute, hour, day, month, weekday] = fields as [Made, Made, Made, Made, Made]
  const date = new Date(after)
  date.setUTCSeconds(0, 0)
  for (let i = 0; i < most; i++) {
    date.setUTCMinutes(date.getUTCMinutes() + 1)
    const [byDay, byWeekday] = [day.values.has(date.getUTCDate()), weekday.values.has(date.getUTCDay())]
    const fits = day.open || weekday.open ? byDay && byWeekday : byDay || byWeekday
    if (
      fits &&
      month.values.has(date.getUTCMonth() + 1) &&
      hour.values.has(date.getUTCHours()) &&
      minute.values.has(date.getUTCMinutes())
    )
      return date.getTime()
  }
  return undefined
}

describe('nextFiring on random schedules', () => {
  it('returns the first matching minute, as found by testing each minute of half a year', () => {
    const MOST = 60 * 24 * 183
    let met = 0
    fc.assert(
      fc.property(schedules, moments, (fields, after) => {
        let schedule: ReturnType<typeof parseSchedule>
        try {
          schedule = parseSchedule(fields.map(({ text }) => text).join(' '))
        } catch {
          // Refused because it never fires.
          expect(walked(fields, at('2024-01-01T00:00:00Z'), 1440 * 366)).toBeUndefined()
          return
        }
        const found = nextFiring(schedule, after)
        const expected = walked(fields, after, MOST)
        if (expected === undefined) expect(found).toBeGreaterThan(after + (MOST - 1) * 60_000)
        else {
          met++
          expect(found).toBe(expected)
        }
      }),
      { numRuns: runs({ quick: 60, soak: 3_000 }) },
    )
    expect(met).toBeGreaterThan(runs({ quick: 20, soak: 1_000 }))
  })

  it('returns the same three firings as cron-parser in UTC', () => {
    fc.assert(
      fc.property(schedules, moments, (fields, after) => {
        // cron-parser refuses lists with repeated values, so it gets the values of each field.
        const plain = fields.map(({ values, open }) => (open ? '*' : [...values].sort((x, y) => x - y).join(','))).join(' ')
        const text = fields.map((field) => field.text).join(' ')
        let schedule: ReturnType<typeof parseSchedule>
        try {
          schedule = parseSchedule(text)
        } catch {
          expect(() => CronExpressionParser.parse(plain, { tz: 'UTC', currentDate: new Date(after) }).next()).toThrow()
          return
        }
        const reference = CronExpressionParser.parse(plain, { tz: 'UTC', currentDate: new Date(after) })
        let from = after
        for (let i = 0; i < 3; i++) {
          from = nextFiring(schedule, from)
          expect(from).toBe(reference.next().getTime())
        }
      }),
      { numRuns: runs({ quick: 200, soak: 5_000 }) },
    )
  })
})
