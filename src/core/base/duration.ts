/** Reads parameters of calls by path that contain a duration. */
import { invalid } from './errors.ts'
import { durationTooLongError, MAX_DURATION_SECONDS, parseUnsignedDuration } from './go-duration.ts'

const DIGITS = /^\+?\d+$/
const DAYS = /^\+?(\d+)d$/

const NANOSECONDS_PER_SECOND = 1_000_000_000n

/** Longer strings are never valid durations, and converting them to numbers would be slow. */
const MAX_CHARACTERS = 128

/**
 * Returns the whole seconds of a duration. Accepts a number of seconds, a string of digits, a Go duration (`1h30m`, `1.5h`, `100ms`;
 * fractions of a second are truncated), whole days (`30d`, not combined with other units), or the empty string for 0.
 * @param name The parameter's name, for the message.
 * @throws KernelError 400 for negative durations, numbers with a fraction, any other string, and more than 9,223,372,036 seconds (292
 * years).
 */
export function parseDuration(value: string | number, name: string): number {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) throw invalid(`${name}: a duration given as a number must be in whole seconds`)
    return checked(value, name)
  }
  if (value === '') return 0
  if (value.length <= MAX_CHARACTERS) {
    if (DIGITS.test(value)) return checked(Number(value), name)
    const days = DAYS.exec(value)
    if (days) return checked(Number(days[1]) * 86_400, name)
    const nanoseconds = parseUnsignedDuration(value.replace(/^\+/, ''))
    if (nanoseconds !== undefined) return checked(Number(nanoseconds / NANOSECONDS_PER_SECOND), name)
    if (value.startsWith('-') && isDuration(value.slice(1))) return checked(-1, name)
  }
  throw invalid(`${name}: a duration is a number of seconds, a text such as 90s, 1h30m or 1.5h, or whole days such as 30d`)
}

const isDuration = (text: string): boolean =>
  DIGITS.test(text) || DAYS.test(text) || parseUnsignedDuration(text.replace(/^\+/, '')) !== undefined

function checked(seconds: number, name: string): number {
  if (seconds < 0) throw invalid(`${name}: a duration must not be negative`)
  if (seconds > MAX_DURATION_SECONDS) throw durationTooLongError(name)
  // Converts -0 to 0.
  return seconds + 0
}
