/** Decodes the content of strings in double quotes, with Go's escapes. */
import { GO_ESCAPES } from '../../core/base/go-escapes.ts'

/** One escape, or several adjacent byte escapes, which together are decoded as UTF-8. */
const ESCAPE = /((?:\\x[\da-fA-F]{2}|\\[0-3][0-7]{2})+)|\\u([\da-fA-F]{4})|\\U([\da-fA-F]{8})|\\(.?)/gs

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The value of a string literal. Undefined if it contains a line break, an unknown escape, or bytes that are not UTF-8 and therefore cannot
 * equal any string.
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

/** A string literal in double quotes. */
export const quote = (value: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have to be escaped
  `"${value.replace(/[\x00-\x1f"\\\x7f]/g, (character) =>
    character === '\\' ? '\\\\' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )}"`
