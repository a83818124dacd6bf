/** Reads the numbers in a JSON text (RFC 8259, section 6). */
import { texts } from '../base/texts.ts'
import { type JsonCursor, jsonError } from './json-cursor.ts'

/** A double represents every integer of at most this many digits exactly. */
const EXACT_DIGITS = 15

const isDigit = (c: number | undefined): boolean => c !== undefined && c >= 0x30 && c <= 0x39

/**
 * Reads the number at the cursor. The next byte must be a digit or a minus sign. Integers above 2^53 are returned as bigints.
 * @throws KernelError 400 if RFC 8259 does not allow the number. Also 400 if the number exceeds the range of a double, such as 1e400, and is
 * not an integer that the limits allow.
 */
export function readJsonNumber(cursor: JsonCursor): number | bigint {
  const { bytes, at: start } = cursor
  const { numberBytes, beyondDouble } = cursor.limits
  const negative = bytes[start] === 0x2d
  const first = negative ? start + 1 : start
  let at = first
  let value = 0
  while (isDigit(bytes[at])) {
    if (at - first < EXACT_DIGITS) value = value * 10 + (bytes[at] as number) - 0x30
    at++
    if (at - start > numberBytes) throw jsonError('a number that is too long', start)
  }
  const digits = at - first
  if (digits === 0) throw jsonError(bytes[at] === undefined ? 'unexpected end' : 'a digit is missing', at)
  if (digits > 1 && bytes[first] === 0x30) throw jsonError('a number with a leading zero', start)
  const integer = bytes[at] !== 0x2e && bytes[at] !== 0x65 && bytes[at] !== 0x45
  if (integer && digits <= EXACT_DIGITS) {
    cursor.at = at
    return negative ? -value : value
  }
  if (!integer) at = skipFraction(cursor, at)
  const text = texts.latin1(bytes, start, at)
  const double = Number(text)
  if (!Number.isFinite(double) && !(integer && beyondDouble)) throw jsonError('a number beyond the range of a double', start)
  cursor.at = at
  return integer && !Number.isSafeInteger(double) ? BigInt(text) : double
}

/** Reads the fraction and the exponent. Returns the offset after them. */
function skipFraction({ bytes, at: start, limits }: JsonCursor, from: number): number {
  let at = from
  const digits = (): void => {
    if (!isDigit(bytes[at])) throw jsonError(bytes[at] === undefined ? 'unexpected end' : 'a digit is missing', at)
    while (isDigit(bytes[at])) {
      at++
      if (at - start > limits.numberBytes) throw jsonError('a number that is too long', start)
    }
  }
  if (bytes[at] === 0x2e) {
    at++
    digits()
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at++
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++
    digits()
  }
  return at
}
