/**
 * Cron schedules of five fields in UTC: minute, hour, day of the month, month, day of the week. The grammar is that of the Go package
 * robfig/cron, which Vault and OpenBao use.
 */
import { calendarDay, DAY_MS, dayNumber, weekday } from '../../../core/base/calendar.ts'
import { invalid, type KernelError } from '../../../core/base/errors.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** A parsed schedule: the matching values of each field. `minutes` and `hours` are in ascending order. */
export interface CronSchedule {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: ReadonlySet<number>
  /** The numbers of the months, 1 to 12. */
  readonly months: ReadonlySet<number>
  /** The numbers of the weekdays, 0 to 6; 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>
  /** True if the schedule restricts both the date and the weekday: then a day matches if one of them matches. Otherwise both must match. */
  readonly eitherDayMatches: boolean
}

interface FieldRule {
  readonly title: string
  readonly min: number
  readonly max: number
  /** Names for the values, in order: the first name means `min`. Empty if the field has no names. */
  readonly names: readonly string[]
}

const MONTH_NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const FIELD_RULES: readonly FieldRule[] = [
  { title: 'the minute', min: 0, max: 59, names: [] },
  { title: 'the hour', min: 0, max: 23, names: [] },
  { title: 'the day of the month', min: 1, max: 31, names: [] },
  { title: 'the month', min: 1, max: 12, names: MONTH_NAMES },
  { title: 'the day of the week', min: 0, max: 6, names: WEEKDAY_NAMES },
]

/** The maximum number of days of each month. */
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The maximum length of a schedule. For comparison, a list of all 60 minutes has 169 characters. */
const MAX_SCHEDULE_CHARACTERS = 1_024

const invalidSchedule = (rule: string): KernelError => invalid(`rotation_schedule: ${rule}`)

interface CronField {
  readonly values: readonly number[]
  /** Whether the list contains `*` or `?`, so that the field matches every value. */
  readonly unrestricted: boolean
}

/**
 * Parses a schedule. Each field is a comma-separated list whose items are `*`, `?`, a number, or a range such as `1-5`, each with an
 * optional step such as `/15`. Months and days of the week can be names, such as `jan` and `mon`.
 * @throws KernelError 400 for any other syntax, such as a field for seconds, `@daily`, `L`, `#`, `H`, 7 for Sunday, or a time zone. Also
 * for a schedule that never fires, such as 30 February.
 */
export function parseSchedule(text: string): CronSchedule {
  if (text.length > MAX_SCHEDULE_CHARACTERS) throw invalidSchedule(`must be at most ${MAX_SCHEDULE_CHARACTERS} characters`)
  const parts = text.split(/[ \t]+/).filter((part) => part !== '')
  if (parts.length !== FIELD_RULES.length)
    throw invalidSchedule('must have five fields: minute, hour, day of the month, month, day of the week')
  const [minute, hour, day, month, dayOfWeek] = FIELD_RULES.map((rule, index) => parseField(parts[index] as string, rule)) as [
    CronField,
    CronField,
    CronField,
    CronField,
    CronField,
  ]
  const eitherDayMatches = !day.unrestricted && !dayOfWeek.unrestricted
  const fires =
    eitherDayMatches || month.values.some((number) => (day.values[0] as number) <= (DAYS_OF_MONTH[number - 1] as number))
  if (!fires) throw invalidSchedule('never fires: none of its months has such a day')
  return {
    minutes: minute.values,
    hours: hour.values,
    days: new Set(day.values),
    months: new Set(month.values),
    weekdays: new Set(dayOfWeek.values),
    eitherDayMatches,
  }
}

function parseField(text: string, rule: FieldRule): CronField {
  const named = new Set<number>()
  let unrestricted = false
  for (const item of text.split(',')) {
    const range = parseItem(item, rule)
    for (let value = range.from; value <= range.to; value += range.step) named.add(value)
    unrestricted ||= range.unrestricted
  }
  return { values: [...named].sort((a, b) => a - b), unrestricted }
}

interface ItemRange {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly unrestricted: boolean
}

/**
 * Parses one item of a field. A number with a step means the range from that number to the maximum: for minutes, `5/15` means `5-59/15`.
 */
function parseItem(item: string, rule: FieldRule): ItemRange {
  const { title, min, max } = rule
  const [span = '', stepText, ...more] = item.split('/')
  const [first = '', last, ...others] = span.split('-')
  if (more.length > 0 || others.length > 0) throw invalidSchedule(`${title} is not a valid cron field`)
  const step = stepText === undefined ? 1 : parseInteger(stepText, title)
  if (step === 0) throw invalidSchedule(`${title} has a step of 0`)
  if (span === '*' || span === '?') return { from: min, to: max, step, unrestricted: step === 1 }
  const from = parseValue(first, rule)
  const to = last === undefined ? (stepText === undefined ? from : max) : parseValue(last, rule)
  if (from > to) throw invalidSchedule(`${title} has a range that ends before it begins`)
  return { from, to, step, unrestricted: false }
}

function parseValue(text: string, { title, min, max, names }: FieldRule): number {
  const name = names.indexOf(text.toLowerCase())
  const value = name < 0 ? parseInteger(text, title) : name + min
  if (value < min || value > max) throw invalidSchedule(`${title} must be from ${min} to ${max}`)
  return value
}

/** Parses an integer of at most three digits, which is more than any field or step needs. */
function parseInteger(text: string, title: string): number {
  if (!/^\d{1,3}$/.test(text)) throw invalidSchedule(`${title} is not a valid cron field`)
  return Number(text)
}

/** Returns the first matching minute after `after`. Both times are milliseconds since the Unix epoch. */
export function nextFiring(schedule: CronSchedule, after: number): number {
  const earliest = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS
  let day = Math.floor(earliest / DAY_MS)
  const today = matchesDay(schedule, day) ? firstTimeOfDay(schedule, earliest - day * DAY_MS) : undefined
  if (today !== undefined) return day * DAY_MS + today
  // The loop ends, because parseSchedule refuses schedules that never fire. The longest gap is eight years: from 29 February 2096 to 2104.
  do day = nextDay(schedule, day)
  while (!matchesDay(schedule, day))
  return day * DAY_MS + (schedule.hours[0] as number) * HOUR_MS + (schedule.minutes[0] as number) * MINUTE_MS
}

/** Returns the number of the following day, or of the first day of the next month if the schedule excludes the current month. */
function nextDay({ months }: CronSchedule, number: number): number {
  const { year, month } = calendarDay(number)
  if (months.has(month)) return number + 1
  return dayNumber(month === 12 ? { year: year + 1, month: 1, day: 1 } : { year, month: month + 1, day: 1 })
}

function matchesDay({ days, months, weekdays, eitherDayMatches }: CronSchedule, number: number): boolean {
  const { month, day } = calendarDay(number)
  if (!months.has(month)) return false
  const [byDay, byWeekday] = [days.has(day), weekdays.has(weekday(number))]
  return eitherDayMatches ? byDay || byWeekday : byDay && byWeekday
}

/** Returns the first matching time of day at or after `earliest`. Both times are in milliseconds since midnight. */
function firstTimeOfDay({ minutes, hours }: CronSchedule, earliest: number): number | undefined {
  for (const hour of hours)
    for (const minute of minutes) {
      const time = hour * HOUR_MS + minute * MINUTE_MS
      if (time >= earliest) return time
    }
  return undefined
}
