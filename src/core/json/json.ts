/**
 * JSON bodies: bytes to values, without losing a digit and without blocking the event loop.
 */
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import { BODY_LIMITS, type JsonLimits, type OnJsonGrowth } from './json-cursor.ts'
import { readJson } from './json-reader.ts'

/** Texts longer than this are always read in slices. */
const MAX_NATIVE_BYTES = SLICE_BYTES

/**
 * Objects, arrays and members that native parsing may handle in one go. They are what makes it slow (1 us and more for a member
 * whose name or object layout is new); the worst text with this many of them takes about 5 ms.
 */
const MAX_NATIVE_PARTS = 6000

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type { JsonLimits }

/**
 * The value of a JSON text. Integers beyond 2^53 are bigints, other numbers are numbers; of members with one name the last wins;
 * a lone surrogate escape is U+FFFD; a member called `__proto__` is an ordinary one. Empty text, white space and `null` give
 * undefined. Yields after at most about 5 ms; the bytes should not change until it returns.
 * @throws KernelError (400) `error parsing JSON: ... at byte N` for everything that RFC 8259 does not allow (a byte-order mark
 * included), for bytes that are not UTF-8, numbers beyond a double and more than 10,000 levels of nesting.
 * @param limits Others, for texts that are not as bodies are.
 * @param grow Not told of texts of at most {@link SLICE_BYTES}. What it throws ends the reading.
 */
export function* parseJson(bytes: Uint8Array, limits: JsonLimits = BODY_LIMITS, grow?: OnJsonGrowth): Steps<unknown> {
  if (limits === BODY_LIMITS && isPlain(bytes)) return parseJsonNow(bytes)
  return (yield* readJson(bytes, limits, grow)) ?? undefined
}

/** {@link parseJson} in one go: for texts of at most {@link SLICE_BYTES}, and where blocking does not matter. */
export function parseJsonNow(bytes: Uint8Array): unknown {
  if (isPlain(bytes)) {
    try {
      return JSON.parse(utf8.decode(bytes)) ?? undefined
    } catch {
      // The reader finds the error again and reports its place, without quoting the text as native messages do.
    }
  }
  const steps = readJson(bytes)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value ?? undefined
  }
}

/**
 * Whether native parsing of the text is quick and gives what the reader would give. Not when there may be integers that a double
 * rounds, numbers beyond a double, or surrogate escapes that lack their other half. Text in strings may look like those; it then
 * takes the slower way for nothing.
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

/** Whether three digits follow. With fewer of them and at most 15 before, a number is well within a double. */
function hasLargeExponent(bytes: Uint8Array, from: number): boolean {
  const signed = bytes[from] === 0x2b || bytes[from] === 0x2d
  for (let i = signed ? from + 1 : from, end = i + 3; i < end; i++) {
    const c = bytes[i]
    if (c === undefined || c < 0x30 || c > 0x39) return false
  }
  return true
}
