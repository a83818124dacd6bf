/** Go string literals. Templates contain them, and `%q` writes them. */
import type { KernelError } from '../base/errors.ts'
import { GO_ESCAPES } from '../base/go-escapes.ts'
import { type ByteText, byteTextOf, charactersOf, decodeByteText } from './byte-text.ts'

const LETTERS = /* @__PURE__ */ new Map(Object.entries(GO_ESCAPES).map(([letter, meant]) => [meant, letter]))

const NUMBERED = /([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y
/** Matches characters that have no special meaning. */
const PLAIN = /[^"\\\n]+/y

/** Reads the literal whose opening quote is at `from`. @throws KernelError 400 */
export function readQuoted(
  text: string,
  from: number,
  refuse: (rule: string) => KernelError,
): { readonly value: ByteText; readonly end: number } {
  if (text[from] === '`') {
    const end = text.indexOf('`', from + 1)
    if (end < 0) throw refuse('a quoted text is not closed')
    return { value: byteTextOf(text.slice(from + 1, end).replaceAll('\r', '')), end: end + 1 }
  }
  let value = ''
  for (let at = from + 1; ; ) {
    if (text[at] === '"') return { value, end: at + 1 }
    if (text[at] === '\\') {
      const [meant, size] = readEscape(text, at + 1) ?? []
      if (meant === undefined || size === undefined) throw refuse('a quoted text has an unknown escape sequence')
      value += meant
      at += 1 + size
      continue
    }
    PLAIN.lastIndex = at
    const run = PLAIN.exec(text)?.[0]
    if (run === undefined) throw refuse('a quoted text is not closed')
    value += byteTextOf(run)
    at += run.length
  }
}

/** The character that an escape sequence represents, and the length of the sequence after the backslash. */
function readEscape(text: string, at: number): readonly [ByteText, number] | undefined {
  const letter = GO_ESCAPES[text[at] ?? '']
  if (letter !== undefined) return [letter, 1]
  NUMBERED.lastIndex = at
  const found = NUMBERED.exec(text)
  if (!found) return undefined
  const [all, octal, byte, ...points] = found
  if (octal !== undefined || byte !== undefined) {
    const value = octal === undefined ? Number.parseInt(byte as string, 16) : Number.parseInt(octal, 8)
    return value > 0xff ? undefined : [String.fromCharCode(value), all.length]
  }
  const point = Number.parseInt(points.join(''), 16)
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined
  return [byteTextOf(String.fromCodePoint(point)), all.length]
}

const ASCII = /^[ -~]$/
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** The string in quotes. Unprintable characters are written as escape sequences. */
export const goQuoted = (text: ByteText): ByteText => `"${charactersOf(text).map(escaped).join('')}"`

function escaped(character: ByteText): ByteText {
  const letter = LETTERS.get(character)
  if (letter !== undefined) return `\\${letter}`
  if (ASCII.test(character)) return character
  const shown = decodeByteText(character)
  if (shown === undefined) return `\\x${hex(character.charCodeAt(0), 2)}`
  if (PRINTABLE.test(shown)) return character
  const point = shown.codePointAt(0) as number
  if (point < 0x80) return `\\x${hex(point, 2)}`
  return point > 0xffff ? `\\U${hex(point, 8)}` : `\\u${hex(point, 4)}`
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')
