/** Reads the strings in a JSON text (RFC 8259, section 7) piece by piece. */
import { texts } from '../base/texts.ts'
import { type JsonCursor, jsonError } from './json-cursor.ts'

/** The maximum number of bytes in a piece, so that a string of 32 MiB is not read in a single step. */
const PIECE_BYTES = 32_768

const QUOTE = 0x22
const BACKSLASH = 0x5c
const REPLACEMENT = 0xfffd

/**
 * Returns the next piece of the string at the cursor, which is after the opening quote or after the previous piece. Sets `cursor.closed` if
 * the string ends with this piece. An unpaired surrogate escape is replaced by U+FFFD.
 * @throws KernelError 400 for unescaped control characters, bytes that are not UTF-8, unknown escapes, and a missing closing quote
 */
export function readPiece(cursor: JsonCursor): string {
  const { bytes, at: start } = cursor
  const limit = start + PIECE_BYTES
  let ascii = true
  let at = start
  for (; at < limit; at++) {
    const c = bytes[at]
    if (c === QUOTE || c === BACKSLASH) break
    if (c === undefined) throw jsonError('unexpected end in a string', at)
    if (c < 0x20) throw jsonError('a control character in a string', at)
    if (c >= 0x80) {
      ascii = false
      at += continuation(bytes, at)
    }
  }
  cursor.at = at
  cursor.closed = bytes[at] === QUOTE && at < limit
  if (cursor.closed) cursor.at++
  // If a piece begins with an escape, the string probably contains many escapes.
  else if (bytes[at] === BACKSLASH && at < limit) return texts.utf8(bytes, start, at) + readEscaped(cursor, limit)
  return ascii ? texts.latin1(bytes, start, at) : texts.utf8(bytes, start, at)
}

/** Reads the string from an escape up to the closing quote or the limit. Copies it to the scratch buffer with all escapes replaced. */
function readEscaped(cursor: JsonCursor, limit: number): string {
  // A decoded escape is never longer than the escape in the text. The last escape may begin just before the limit, so the buffer has 16
  // more bytes.
  cursor.scratch ??= texts.view(new Uint8Array(PIECE_BYTES + 16))
  const { bytes, scratch } = cursor
  let { at } = cursor
  let end = 0
  while (at < limit) {
    const c = bytes[at]
    if (c === QUOTE) {
      cursor.closed = true
      at++
      break
    }
    if (c === undefined) throw jsonError('unexpected end in a string', at)
    if (c < 0x20) throw jsonError('a control character in a string', at)
    if (c === BACKSLASH) {
      const code = escaped(bytes, at)
      at += bytes[at + 1] !== 0x75 ? 2 : code > 0xffff ? 12 : 6
      end = writeCodePoint(scratch, end, code)
      continue
    }
    const more = c < 0x80 ? 0 : continuation(bytes, at)
    for (let i = 0; i <= more; i++) scratch[end++] = bytes[at++] as number
  }
  cursor.at = at
  return texts.utf8(scratch, 0, end)
}

/** The code point of the escape whose backslash is at `at`. It exceeds 0xffff only for a pair of \u escapes. */
function escaped(bytes: Uint8Array, at: number): number {
  const c = bytes[at + 1]
  switch (c) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
      return c
    case 0x62:
      return 0x08
    case 0x66:
      return 0x0c
    case 0x6e:
      return 0x0a
    case 0x72:
      return 0x0d
    case 0x74:
      return 0x09
    case 0x75:
      break
    default:
      throw jsonError(c === undefined ? 'unexpected end in a string' : 'an unknown escape', at)
  }
  const unit = hex4(bytes, at + 2)
  if (unit < 0) throw jsonError('an escape without four hexadecimal digits', at)
  if (unit < 0xd800 || unit > 0xdfff) return unit
  const paired = unit < 0xdc00 && bytes[at + 6] === BACKSLASH && bytes[at + 7] === 0x75
  const low = paired ? hex4(bytes, at + 8) : -1
  return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : REPLACEMENT
}

/** The value of four hexadecimal digits, or -1 if they are not hexadecimal digits. */
function hex4(bytes: Uint8Array, at: number): number {
  let value = 0
  for (let i = at; i < at + 4; i++) {
    const c = bytes[i] ?? 0
    const letter = c | 0x20
    if (c >= 0x30 && c <= 0x39) value = value * 16 + c - 0x30
    else if (letter >= 0x61 && letter <= 0x66) value = value * 16 + letter - 0x57
    else return -1
  }
  return value
}

function writeCodePoint(out: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    out[at] = code
    return at + 1
  }
  const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3
  out[at] = ((0xff00 >> (more + 1)) & 0xff) | (code >> (6 * more))
  for (let i = 1; i <= more; i++) out[at + i] = 0x80 | ((code >> (6 * (more - i))) & 0x3f)
  return at + more + 1
}

/**
 * Returns the number of bytes (1 to 3) that follow the UTF-8 lead byte at `at`. Validates these bytes: no overlong encoding, no surrogate,
 * nothing above U+10FFFF (RFC 3629, section 4).
 */
function continuation(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number
  const more = lead >= 0xc2 && lead <= 0xdf ? 1 : lead >= 0xe0 && lead <= 0xef ? 2 : lead >= 0xf0 && lead <= 0xf4 ? 3 : 0
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  const second = bytes[at + 1] ?? 0
  let good = more > 0 && second >= low && second <= high
  for (let i = 2; i <= more; i++) good = good && ((bytes[at + i] ?? 0) & 0xc0) === 0x80
  if (!good) throw jsonError('bytes that are not UTF-8', at)
  return more
}
