/**
 * Policy documents: judged as JSON, and kept as they were written but for the blanks between tokens. Digits, escapes, order and doubled
 * members mean something to whoever reads them, so the text is never made anew.
 */

/** Characters of a document as it is written: ten times what the cloud takes. */
const MAX_DOCUMENT_CHARACTERS = 65_536

/** Of nesting; the deepest that means anything has seven. */
const MAX_LEVELS = 32

export const DOCUMENT_RULE = `must be JSON of at most ${MAX_DOCUMENT_CHARACTERS} characters and ${MAX_LEVELS} levels`

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The document without blanks between its tokens; undefined for a text that is no JSON, or is too long or too deep. */
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

/** One pass, which knows of texts and levels alone. Undefined where there are too many of these. */
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
