/** Parses JSON bodies without losing digits and without blocking the event loop. */
import { runToEnd, SLICE_BYTES, type Steps } from '../base/steps.ts'
import { BODY_LIMITS, type JsonLimits, type OnJsonGrowth } from './json-cursor.ts'
import { readJson } from './json-reader.ts'

/** The maximum length of a text that is parsed with `JSON.parse`. The JSON reader reads longer texts, with pauses for the event loop. */
const MAX_NATIVE_BYTES = SLICE_BYTES

/**
 * The maximum number of objects, arrays and members in a text that is parsed with `JSON.parse`. The time depends mostly on this number. A
 * member with a new name or object layout takes 1 us or more. The slowest text within this limit takes about 5 ms.
 */
const MAX_NATIVE_PARTS = 6000

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type { JsonLimits }

/**
 * Parses a JSON text.
 *
 * Integers above 2^53 are returned as bigints, and `__proto__` is an ordinary member name. If a name is repeated, the last value is used.
 * An unpaired surrogate escape is replaced by U+FFFD. Empty text, white space and `null` return undefined. Yields about every 5 ms. Do not
 * change the bytes before the function has returned.
 * @param limits The limits for the text. Default: the limits for request bodies.
 * @param grow Called with the estimated memory use. Not called if `JSON.parse` parses the text. If it throws, parsing fails.
 * @throws KernelError 400 `error parsing JSON: ... at byte N` for everything that RFC 8259 does not allow, including a byte-order mark. Also
 * 400 for invalid UTF-8, for numbers outside the range of a double, and for more levels of nesting than the limits allow (10,000 in request
 * bodies).
 */
export function* parseJson(bytes: Uint8Array, limits: JsonLimits = BODY_LIMITS, grow?: OnJsonGrowth): Steps<unknown> {
  if (limits === BODY_LIMITS && isPlain(bytes)) return parseJsonNow(bytes)
  return (yield* readJson(bytes, limits, grow)) ?? undefined
}

/** Like {@link parseJson}, but in one step. For texts of at most {@link SLICE_BYTES}, and for callers that may block. */
export function parseJsonNow(bytes: Uint8Array): unknown {
  if (isPlain(bytes)) {
    try {
      return JSON.parse(utf8.decode(bytes)) ?? undefined
    } catch {
      // Ignore this error, because its message may quote the text. The reader will find the error again and report its position.
    }
  }
  return runToEnd(readJson(bytes)) ?? undefined
}

/**
 * Whether `JSON.parse` is fast for the text and returns the same value as the JSON reader. False if the text may contain integers that a
 * double would round, numbers outside the range of a double, or unpaired surrogate escapes. Also false if a string contains something that
 * looks like this; parsing the text is then only slower.
 */
export function isPlain(bytes: Uint8Array): boolean {
  const { length } = bytes
  if (length > MAX_NATIVE_BYTES) return false
  let digits = 0
  let parts = 0
  for (let i = 0; i < length; i++) {
    const c = bytes[i] as number
    if (c >= 0x30 && c <= 0x39) {
      if (++digits > 15) return false
      continue
    }
    if (c === 0x3a || (c | 0x20) === 0x7b) parts++
    else if (c === 0x5c) {
      if (bytes[i + 1] === 0x75 && ((bytes[i + 2] as number) | 0x20) === 0x64) return false
    } else if (digits > 0 && (c | 0x20) === 0x65 && hasLargeExponent(bytes, i + 1)) return false
    digits = 0
  }
  return parts <= MAX_NATIVE_PARTS
}

/**
 * Whether an exponent of at least three digits begins at `from`. A number with a shorter exponent and at most 15 digits is within the range
 * of a double.
 */
function hasLargeExponent(bytes: Uint8Array, from: number): boolean {
  const signed = bytes[from] === 0x2b || bytes[from] === 0x2d
  for (let i = signed ? from + 1 : from, end = i + 3; i < end; i++) {
    const c = bytes[i]
    if (c === undefined || c < 0x30 || c > 0x39) return false
  }
  return true
}
