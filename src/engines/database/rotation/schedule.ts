/**
 * Schedules of five fields: minute, hour, day of the month, month, day of the week (source: the grammar of the originals' cron). In UTC.
 */
import { calendarDay, DAY_MS, dayNumber, weekday } from '../../../core/base/calendar.ts'
import { invalid, type KernelError } from '../../../core/base/errors.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** What a schedule names, each in order. */
export interface CronSchedule {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: ReadonlySet<number>
  /** 1 to 12. */
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>
  /** Both kinds of days are restricted, so that either may match; otherwise both must. */
  readonly either: boolean
}

interface FieldRule {
  readonly title: string
  readonly lowest: number
  readonly highest: number
  /** In order, the first stands for `lowest`. */
  readonly names: readonly string[]
}

const MONTH_NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const RULES: readonly FieldRule[] = [
  { title: 'the minute', lowest: 0, highest: 59, names: [] },
  { title: 'the hour', lowest: 0, highest: 23, names: [] },
  { title: 'the day of the month', lowest: 1, highest: 31, names: [] },
  { title: 'the month', lowest: 1, highest: 12, names: MONTH_NAMES },
  { title: 'the day of the week', lowest: 0, highest: 6, names: WEEKDAY_NAMES },
]

/** In a year with the longest February. */
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** A list of every minute there is has 169 characters. */
const LONGEST = 1_024

const refuse = (rule: string): KernelError => invalid(`rotation_schedule: ${rule}`)

interface Field {
  readonly values: readonly number[]
  /** Every value, said as `*` or `?`: such a field restricts nothing, whatever else is in its list. */
  readonly open: boolean
}

/**
 * Fields are `*` (or `?`), numbers, ranges, each with a step or not, and lists of these; months and days of the week have names, too.
 * @throws KernelError 400 for everything else, such as seconds, `@daily`, `L`, `#`, `H`, 7 for Sunday and time zones, and for schedules
 * that never come, such as 30 February.
 */
export function parseSchedule(text: string): CronSchedule {
  if (text.length > LONGEST) throw refuse(`must be at most ${LONGEST} characters`)
  const parts = text.split(/[ \t]+/).filter((part) => part !== '')
  if (parts.length !== RULES.length) throw refuse('must have five fields: minute, hour, day of the month, month, day of the week')
  const [minute, hour, day, month, dayOfWeek] = RULES.map((rule, index) => parseField(parts[index] as string, rule)) as [
    Field,
    Field,
    Field,
    Field,
    Field,
  ]
  const either = !day.open && !dayOfWeek.open
  const comes = either || month.values.some((number) => (day.values[0] as number) <= (DAYS_OF_MONTH[number - 1] as number))
  if (!comes) throw refuse('never comes: no month it names has the day')
  return {
    minutes: minute.values,
    hours: hour.values,
    days: new Set(day.values),
    months: new Set(month.values),
    weekdays: new Set(dayOfWeek.values),
    either,
  }
}

function parseField(text: string, rule: FieldRule): Field {
  const named = new Set<number>()
  let open = false
  for (const item of text.split(',')) {
    const range = parseItem(item, rule)
    for (let value = range.from; value <= range.to; value += range.step) named.add(value)
    open ||= range.open
  }
  return { values: [...named].sort((a, b) => a - b), open }
}

interface Range {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly open: boolean
}

/** The step of a single number makes it a range up to the highest. */
function parseItem(item: string, rule: FieldRule): Range {
  const { title, lowest, highest } = rule
  const [span = '', stepText, ...more] = item.split('/')
  const [first = '', last, ...others] = span.split('-')
  if (more.length > 0 || others.length > 0) throw refuse(`${title} cannot be read`)
  const step = stepText === undefined ? 1 : wholeNumber(stepText, title)
  if (step === 0) throw refuse(`${title} has a step of 0`)
  if (span === '*' || span === '?') return { from: lowest, to: highest, step, open: step === 1 }
  const from = numberOf(first, rule)
  const to = last === undefined ? (stepText === undefined ? from : highest) : numberOf(last, rule)
  if (from > to) throw refuse(`${title} has a range that ends before it begins`)
  return { from, to, step, open: false }
}

function numberOf(text: string, { title, lowest, highest, names }: FieldRule): number {
  const name = names.indexOf(text.toLowerCase())
  const value = name < 0 ? wholeNumber(text, title) : name + lowest
  if (value < lowest || value > highest) throw refuse(`${title} must be from ${lowest} to ${highest}`)
  return value
}

/** Three digits say more than any field or step needs. */
function wholeNumber(text: string, title: string): number {
  if (!/^\d{1,3}$/.test(text)) throw refuse(`${title} cannot be read`)
  return Number(text)
}

/** The first minute behind a moment that the schedule names. Milliseconds since the Unix epoch, both. */
export function nextFiring(schedule: CronSchedule, after: number): number {
  const earliest = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS
  let day = Math.floor(earliest / DAY_MS)
  const today = isNamed(schedule, day) ? timeOfDay(schedule, earliest - day * DAY_MS) : undefined
  if (today !== undefined) return day * DAY_MS + today
  // Eight years at most, from one 29 February across the turn of a century to the next: a schedule that never comes is none.
  do day = nextDay(schedule, day)
  while (!isNamed(schedule, day))
  return day * DAY_MS + (schedule.hours[0] as number) * HOUR_MS + (schedule.minutes[0] as number) * MINUTE_MS
}

/** The day behind, or the first of the next month where the month is not named. */
function nextDay({ months }: CronSchedule, number: number): number {
  const { year, month } = calendarDay(number)
  if (months.has(month)) return number + 1
  return dayNumber(month === 12 ? { year: year + 1, month: 1, day: 1 } : { year, month: month + 1, day: 1 })
}

function isNamed({ days, months, weekdays, either }: CronSchedule, number: number): boolean {
  const { month, day } = calendarDay(number)
  if (!months.has(month)) return false
  const [byDay, byWeekday] = [days.has(day), weekdays.has(weekday(number))]
  return either ? byDay || byWeekday : byDay && byWeekday
}

/** The first time of a day that is not before `earliest`, in milliseconds since midnight. */
function timeOfDay({ minutes, hours }: CronSchedule, earliest: number): number | undefined {
  for (const hour of hours)
    for (const minute of minutes) {
      const time = hour * HOUR_MS + minute * MINUTE_MS
      if (time >= earliest) return time
    }
  return undefined
}
