/**
 * Durations as the path-addressed API writes them.
 */
import { invalid } from './errors.ts'

const DIGITS = /^\+?\d+$/
const DAYS = /^\+?(\d+)d$/
const GO = /^\+?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/
const GO_PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // Micro sign and Greek mu: both are used.
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Longer texts are never valid, and converting them to numbers would be slow. */
const LONGEST = 128

/**
 * Whole seconds of a duration: a number of seconds, a text of digits, a Go duration (`1h30m`, `1.5h`, `100ms`; fractions of a
 * second are cut off), whole days (`30d`, only alone), or the empty text for 0.
 * @param name of the parameter, for the message.
 * @throws KernelError (400) for negative durations, numbers with a fraction, any other text, and more than 2^53 - 1 seconds.
 */
export function parseDuration(value: string | number, name: string): number {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) throw invalid(`${name}: a duration given as a number is in whole seconds`)
    return checked(value, name)
  }
  if (value === '') return 0
  if (value.length <= LONGEST) {
    if (DIGITS.test(value)) return checked(Number(value), name)
    const days = DAYS.exec(value)
    if (days) return checked(Number(days[1]) * 86_400, name)
    if (GO.test(value)) return checked(secondsOf(value), name)
    if (value.startsWith('-') && (DIGITS.test(value.slice(1)) || DAYS.test(value.slice(1)) || GO.test(value.slice(1))))
      return checked(-1, name)
  }
  throw invalid(`${name}: a duration is a number of seconds, a text such as 90s, 1h30m or 1.5h, or whole days such as 30d`)
}

function checked(seconds: number, name: string): number {
  if (seconds < 0) throw invalid(`${name}: a duration cannot be negative`)
  if (!Number.isSafeInteger(seconds)) throw invalid(`${name}: a duration cannot exceed 2^53 seconds`)
  // Avoids -0.
  return seconds + 0
}

/** Uses integers, since 4.35 hours are a second short as a double. */
const secondsOf = (text: string): number => Number(nanosecondsOf(text) / 1_000_000_000n)

/** Each part is cut to nanoseconds, as in Go. */
function nanosecondsOf(text: string): bigint {
  let total = 0n
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(GO_PART)) {
    const scale = NANOSECONDS[unit] as bigint
    total += BigInt(whole) * scale + (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length)
  }
  return total
}

/** 2^63 - 1: what Go counts durations to. */
const MOST_NANOSECONDS = 9_223_372_036_854_775_807n

/**
 * Nanoseconds of a duration as Go programs exchange them: a text with units (`-1m30s`, `0`), or a whole number of nanoseconds.
 * @param name of the parameter, for the message.
 * @throws KernelError (400) for anything else, and beyond 292 years.
 */
export function parseGoDuration(value: unknown, name: string): bigint {
  const nanoseconds = typeof value === 'string' ? signedOf(value) : wholeOf(value)
  if (nanoseconds === undefined)
    throw invalid(`${name}: must be a duration, a text such as 90s, 1h30m or -1s, or a whole number of nanoseconds`)
  if (nanoseconds > MOST_NANOSECONDS || nanoseconds < -MOST_NANOSECONDS) throw invalid(`${name}: must be less than 292 years`)
  return nanoseconds
}

function signedOf(text: string): bigint | undefined {
  if (text.length > LONGEST) return undefined
  const unsigned = text.replace(/^[+-]/, '')
  if (unsigned === '0') return 0n
  if (unsigned.startsWith('+') || !GO.test(unsigned)) return undefined
  return text.startsWith('-') ? -nanosecondsOf(unsigned) : nanosecondsOf(unsigned)
}

const wholeOf = (value: unknown): bigint | undefined =>
  typeof value === 'bigint' || Number.isInteger(value) ? BigInt(value as number | bigint) : undefined
