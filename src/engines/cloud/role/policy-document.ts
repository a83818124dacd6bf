/**
 * Policy documents. They are validated as JSON and stored as written, without the white space between tokens. They are not serialized from
 * the parsed value, because that could change the digits of numbers, escapes, the order of members, and duplicate members.
 */

/** The maximum length of a document with its white space. AWS allows about a tenth of this length. */
const MAX_DOCUMENT_CHARACTERS = 65_536

/** The maximum number of nesting levels of one document. Valid policies have at most seven. */
const MAX_LEVELS = 32

export const DOCUMENT_RULE = `must be JSON of at most ${MAX_DOCUMENT_CHARACTERS} characters and ${MAX_LEVELS} levels`

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Removes the white space between tokens. Returns undefined if the text is not JSON, too long, or nested too deeply. */
export function compactDocument(text: string): string | undefined {
  if (text.length > MAX_DOCUMENT_CHARACTERS) return undefined
  const compact = withoutBlanks(text)
  return compact !== undefined && isJson(text) ? compact : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Removes white space between tokens. Tracks only strings and nesting, so it does not detect invalid JSON. Returns undefined if the text is
 * nested too deeply.
 */
function withoutBlanks(text: string): string | undefined {
  let compact = ''
  let from = 0
  let levels = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (quoted) {
      if (c === BACKSLASH) at++
      else if (c === QUOTE) quoted = false
    } else if (c === QUOTE) quoted = true
    else if (c === 0x20 || c === 0x09 || c === 0x0a || c === 0x0d) {
      compact += text.slice(from, at)
      from = at + 1
    } else if (c === 0x7b || c === 0x5b) {
      if (++levels > MAX_LEVELS) return undefined
    } else if (c === 0x7d || c === 0x5d) levels--
  }
  return compact + text.slice(from)
}
