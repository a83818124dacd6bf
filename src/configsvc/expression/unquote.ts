/**
 * Strings in double quotes: their escapes are those of Go.
 */
import { GO_ESCAPES } from '../../core/base/go-escapes.ts'

/** One escape, or several in a row that are bytes. */
const ESCAPE = /((?:\\x[\da-fA-F]{2}|\\[0-3][0-7]{2})+)|\\u([\da-fA-F]{4})|\\U([\da-fA-F]{8})|\\(.?)/gs

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * What the content of double quotes, which holds none, means. Undefined for a line break, for an escape that Go does not know, and for bytes
 * that are no UTF-8: no text has them, so nothing could equal them.
 */
export function unquote(content: string): string | undefined {
  if (content.includes('\n')) return undefined
  let whole = true
  const value = content.replace(ESCAPE, (_all, bytes?: string, short?: string, long?: string, letter?: string) => {
    const character =
      bytes === undefined
        ? letter === undefined
          ? characterOf(Number.parseInt((short ?? long) as string, 16))
          : escaped(letter)
        : decoded(bytes)
    if (character === undefined) whole = false
    return character ?? ''
  })
  return whole ? value : undefined
}

const escaped = (letter: string): string | undefined => (Object.hasOwn(GO_ESCAPES, letter) ? GO_ESCAPES[letter] : undefined)

const characterOf = (code: number): string | undefined =>
  code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : String.fromCodePoint(code)

function decoded(escapes: string): string | undefined {
  const bytes = escapes
    .split('\\')
    .slice(1)
    .map((one) => (one.startsWith('x') ? Number.parseInt(one.slice(1), 16) : Number.parseInt(one, 8)))
  try {
    return utf8.decode(Uint8Array.from(bytes))
  } catch {
    return undefined
  }
}

/** A string in double quotes that means `value`. */
export const quote = (value: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped
  `"${value.replace(/[\x00-\x1f"\\\x7f]/g, (character) =>
    character === '\\' ? '\\\\' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )}"`
