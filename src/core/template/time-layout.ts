/** Formats a time with a Go layout. A layout shows how Monday, 2 January 2006, 15:04:05 would be written. The time is always in UTC. */
import { calendarDay, DAY_MS, dayNumber, weekday } from '../base/calendar.ts'
import type { ByteText } from './byte-text.ts'

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/**
 * The parts of a layout, in the order in which they are tried. In `_2006`, the underscore is literal text. `Jan` and `Mon` are literal text
 * if a lowercase letter follows, as in `Money`.
 */
const PARTS =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|15|1|_2006|__2|_2|2006|2|[345]|PM|pm|-07:00:00|-070000|-07:00|-0700|-07|Z07:00:00|Z070000|Z07:00|Z0700|Z07|[.,](?:0+|9+)(?![0-9])/g

const MAX_FRACTION_DIGITS = 9

export function formatTime(layout: ByteText, ms: number): ByteText {
  const number = Math.floor(ms / DAY_MS)
  const { year, month, day } = calendarDay(number)
  const second = Math.floor((ms - number * DAY_MS) / 1000)
  const hour = Math.floor(second / 3600)
  const hour12 = String(hour % 12 || 12)
  const minutes = String(Math.floor(second / 60) % 60)
  const seconds = String(second % 60)
  const yearDay = String(number - dayNumber({ year, month: 1, day: 1 }) + 1)
  const monthName = MONTHS[month - 1] as string
  const dayName = DAYS[weekday(number)] as string
  const two = (digits: string): string => digits.padStart(2, '0')
  const written: Readonly<Record<string, string>> = {
    January: monthName,
    Jan: monthName.slice(0, 3),
    Monday: dayName,
    Mon: dayName.slice(0, 3),
    MST: 'UTC',
    '002': yearDay.padStart(3, '0'),
    '01': two(String(month)),
    '02': two(String(day)),
    '03': two(hour12),
    '04': two(minutes),
    '05': two(seconds),
    '06': two(String(year % 100)),
    '15': two(String(hour)),
    '1': String(month),
    __2: yearDay.padStart(3, ' '),
    _2: String(day).padStart(2, ' '),
    '2006': String(year).padStart(4, '0'),
    _2006: `_${String(year).padStart(4, '0')}`,
    '2': String(day),
    '3': hour12,
    '4': minutes,
    '5': seconds,
    PM: hour < 12 ? 'AM' : 'PM',
    pm: hour < 12 ? 'am' : 'pm',
  }
  return layout.replace(PARTS, (part) => written[part] ?? zoneOrFraction(part, ms))
}

function zoneOrFraction(part: string, ms: number): string {
  if (part.startsWith('Z')) return 'Z'
  if (part.startsWith('-')) return `+${part.slice(1).replace('7', '0')}`
  const separator = part.slice(0, 1)
  const digits = String(Math.floor(ms) % 1000)
    .padStart(3, '0')
    .padEnd(MAX_FRACTION_DIGITS, '0')
    .slice(0, part.length - 1)
  if (part[1] === '0') return separator + digits
  const short = digits.replace(/0+$/, '')
  return short === '' ? '' : separator + short
}
