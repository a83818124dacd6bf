/** Reads parameters of calls by path that contain a point in time. */
import { parseRfc3339 } from './clock.ts'
import { invalid } from './errors.ts'

/** The end of the year 9999, in milliseconds. RFC 3339 cannot represent later years. */
export const MAX_TIME_MS = 253_402_300_799_999

const SECONDS = /^\d{1,12}$/

/**
 * Returns milliseconds since the Unix epoch. Accepts RFC 3339, or whole seconds since the epoch as a number or a string of digits.
 * @param name The parameter's name, for the message.
 * @throws KernelError 400 for any other value, and for times before 1970 or after the year 9999.
 */
export function parseAbsoluteTime(value: string | number, name: string): number {
  const ms = typeof value === 'number' || SECONDS.test(value) ? millisecondsOf(Number(value)) : parseRfc3339(value)
  if (ms === undefined || ms < 0 || ms > MAX_TIME_MS)
    throw invalid(
      `${name}: must be a time such as 2030-01-31T12:00:00Z, or whole seconds since 1970, and not after the year 9999`,
    )
  return ms
}

const millisecondsOf = (seconds: number): number | undefined => (Number.isSafeInteger(seconds) ? seconds * 1000 : undefined)
