/**
 * Durations as Go reads and writes them (Go's `time.ParseDuration` and `Duration.String`).
 */
import { invalid, type KernelError } from './errors.ts'

const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g
const WHOLE = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/
const SECONDS = /^\+?\d+$/

/** Longer strings are never valid durations, and converting them to numbers would be slow. */
const MAX_CHARACTERS = 128

const MICROSECOND = 1_000n
const MILLISECOND = 1_000_000n
const SECOND = 1_000_000_000n
const MINUTE = 60n * SECOND
const HOUR = 60n * MINUTE

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: MICROSECOND,
  // Programs write the micro sign (U+00B5) or the Greek letter mu (U+03BC), so accept either.
  '\u00b5s': MICROSECOND,
  '\u03bcs': MICROSECOND,
  ms: MILLISECOND,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
}

/** Go stores nanoseconds in signed 64-bit integers, which can represent 292 years. */
const MAX_NANOSECONDS = 2n ** 63n - 1n

/** The maximum duration in whole seconds. OpenBao and Vault can neither store nor restore a longer duration. */
export const MAX_DURATION_SECONDS = 9_223_372_036

/**
 * Returns the nanoseconds of a duration in the form that Go programs exchange: a string with units (`1h30m`, `-1.5ms`, `0`), or a whole
 * number of nanoseconds. The largest permitted unit is the hour. Each part of the string is truncated to whole nanoseconds.
 * @param name The parameter's name, for the message.
 * @throws KernelError 400 for any other value, and for more than 292 years.
 */
export function parseGoDuration(value: unknown, name: string): bigint {
  const nanoseconds = typeof value === 'string' ? signedOf(value) : wholeOf(value)
  if (nanoseconds === undefined)
    throw invalid(`${name}: must be a duration with units, such as 90s, 1h30m or -1s, or a whole number of nanoseconds`)
  return bounded(nanoseconds, name)
}

/**
 * Returns the nanoseconds of a duration that is not negative. Accepts a string with units, or a string of digits, which are seconds.
 * @param name The parameter's name, for the message.
 * @throws KernelError 400
 */
export function parseGoDurationOrSeconds(text: string, name: string): bigint {
  const seconds = text.length <= MAX_CHARACTERS && SECONDS.test(text)
  const nanoseconds = seconds ? BigInt(text.replace('+', '')) * SECOND : parseUnsignedDuration(text.replace(/^\+/, ''))
  if (nanoseconds === undefined)
    throw invalid(
      `${name}: must be a duration such as 90s, 1h30m or 1.5h, or whole seconds; h is the largest unit, and negative values are invalid`,
    )
  return bounded(nanoseconds, name)
}

/** The error for a duration that is too long. */
export const durationTooLongError = (name: string): KernelError =>
  invalid(`${name}: a duration is at most ${MAX_DURATION_SECONDS} seconds (292 years)`)

function bounded(nanoseconds: bigint, name: string): bigint {
  if (nanoseconds > MAX_NANOSECONDS || nanoseconds < -MAX_NANOSECONDS) throw durationTooLongError(name)
  return nanoseconds
}

function signedOf(text: string): bigint | undefined {
  const unsigned = text.replace(/^[+-]/, '')
  const nanoseconds = unsigned === '0' ? 0n : parseUnsignedDuration(unsigned)
  return text.startsWith('-') && nanoseconds !== undefined ? -nanoseconds : nanoseconds
}

const wholeOf = (value: unknown): bigint | undefined =>
  typeof value === 'bigint' || Number.isInteger(value) ? BigInt(value as number | bigint) : undefined

/**
 * Returns the nanoseconds of a string with units and without a sign; undefined for any other string. Calculates with integers, because as a
 * double, 4.35 hours would be a second too short.
 */
export function parseUnsignedDuration(text: string): bigint | undefined {
  if (text.length > MAX_CHARACTERS || !WHOLE.test(text)) return undefined
  let total = 0n
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(PART)) {
    const scale = UNITS[unit] as bigint
    total += BigInt(whole) * scale + (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length)
  }
  return total
}

/**
 * Formats nanoseconds as `1m30s`, `12h0m0s`, `1.5s`, `-1s` or `0s`. A duration below a second uses the largest unit in which its value is
 * at least 1: `1.5ms`.
 */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatGoDuration(-nanoseconds)}`
  if (nanoseconds === 0n) return '0s'
  if (nanoseconds < MICROSECOND) return `${nanoseconds}ns`
  if (nanoseconds < MILLISECOND) return `${decimal(nanoseconds, MICROSECOND)}\u00b5s`
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, MILLISECOND)}ms`
  const seconds = `${decimal(nanoseconds % MINUTE, SECOND)}s`
  if (nanoseconds < MINUTE) return seconds
  const minutes = `${(nanoseconds % HOUR) / MINUTE}m${seconds}`
  return nanoseconds < HOUR ? minutes : `${nanoseconds / HOUR}h${minutes}`
}

/** Formats whole seconds as {@link formatGoDuration} does. */
export const formatGoSeconds = (seconds: number): string => formatGoDuration(BigInt(seconds) * SECOND)

/** A value in `unit`, as a decimal number without trailing zeros. */
function decimal(nanoseconds: bigint, unit: bigint): string {
  const digits = String(unit).length - 1
  const fraction = String(nanoseconds % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${nanoseconds / unit}` : `${nanoseconds / unit}.${fraction}`
}

/**
 * Returns whole seconds, rounded down. A positive duration below one second becomes one second instead of 0, because a TTL of 0 means the
 * default of the mount.
 */
export const toWholeSeconds = (nanoseconds: bigint): number =>
  nanoseconds > 0n && nanoseconds < SECOND ? 1 : Number(nanoseconds / SECOND)
