/** Finds the value of a member in the text of a JSON object, so that it can be replaced without changing the rest of the text. */

/** The place of a value in a text, from its first character to the character after its last one. */
export interface TextSpan {
  readonly from: number
  readonly to: number
}

const STRING = /"(?:[^"\\]|\\.)*"/y
const SPACE = /[ \t\r\n]*/y
const SCALAR = /[^\s,\]}]+/y

/**
 * @param text A valid JSON object.
 * @returns The value of the last member with this name, which is the one that parsers use; undefined if the object has no such member.
 */
export function memberSpan(text: string, name: string): TextSpan | undefined {
  let found: TextSpan | undefined
  let at = skip(SPACE, text, 0) + 1
  for (;;) {
    at = skip(SPACE, text, at)
    if (text[at] !== '"') return found
    const nameEnd = skip(STRING, text, at)
    const isWanted = JSON.parse(text.slice(at, nameEnd)) === name
    const from = skip(SPACE, text, skip(SPACE, text, nameEnd) + 1)
    const to = endOfValue(text, from)
    if (isWanted) found = { from, to }
    at = skip(SPACE, text, to)
    if (text[at] !== ',') return found
    at++
  }
}

function endOfValue(text: string, from: number): number {
  const first = text[from]
  if (first === '"') return skip(STRING, text, from)
  if (first !== '{' && first !== '[') return skip(SCALAR, text, from)
  for (let at = from, depth = 0; ; ) {
    const character = text[at]
    if (character === '"') {
      at = skip(STRING, text, at)
      continue
    }
    at++
    if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at
  }
}

/** The place after what the sticky pattern matches at `from`. */
function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}
