/**
 * Durations in the options and typed calls of application code. Calls by path accept only strings and numbers.
 */
import { parseUnsignedDuration } from './go-duration.ts'

/** A `Temporal.Duration` of the JavaScript engine or of a polyfill. */
export interface TemporalDuration {
  readonly [Symbol.toStringTag]: string
  /** The length of the whole duration in the given unit. */
  total(unit: 'milliseconds'): number
}

const DAYS = /^(\d{1,9})d$/
const NANOSECONDS_PER_MILLISECOND = 1_000_000n
const MILLISECONDS_PER_DAY = 86_400_000
const MAX_CHARACTERS = 128

export const isTemporalDuration = (value: unknown): value is TemporalDuration =>
  typeof value === 'object' && value !== null && Object.prototype.toString.call(value) === '[object Temporal.Duration]'

/** @throws TypeError for a duration with years, months or weeks, because their length depends on a date. */
function totalOf(duration: TemporalDuration, name: string): number {
  try {
    return duration.total('milliseconds')
  } catch {
    throw new TypeError(`${name}: a Temporal.Duration with years, months or weeks has no fixed length; use days`)
  }
}

/** Formats the duration in milliseconds, as a string that {@link millisecondsOf} and the parsers of Go durations accept. */
export const durationText = (duration: TemporalDuration, name: string): string => `${totalOf(duration, name)}ms`

/**
 * Returns whole milliseconds. Accepts a string with units (`500ms`, `90s`, `1h30m`, `30d`) or a `Temporal.Duration`.
 * @throws TypeError for any other value, including a string of digits, because it has no unit.
 */
export function millisecondsOf(value: unknown, name: string): number {
  if (isTemporalDuration(value)) return Math.trunc(totalOf(value, name))
  const text = typeof value === 'string' && value.length <= MAX_CHARACTERS ? value : ''
  const days = DAYS.exec(text)
  if (days) return Number(days[1]) * MILLISECONDS_PER_DAY
  const nanoseconds = parseUnsignedDuration(text)
  if (nanoseconds === undefined)
    throw new TypeError(`${name}: must be a number of milliseconds, or a text with a unit such as 500ms, 90s or 1h30m`)
  return Number(nanoseconds / NANOSECONDS_PER_MILLISECOND)
}
