/** Reads HCL version 1, the language of Vault's policies. */
import { GO_ESCAPES } from '../base/go-escapes.ts'
import type { Steps } from '../base/steps.ts'
import { readHeredoc } from './heredoc.ts'
import { HclBody, HclCursor, type HclMember, type HclValue, type TextKind } from './syntax.ts'

const SPACE = /[ \t\r\n]+/y

const LINE = /[^\n]*/y

const WORD = /[\p{L}_][\p{L}\p{Nd}_.-]*/uy

const NUMBER = /^-?(?:0[xX][\da-fA-F]+|(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

const PLAIN = /[^"\\\n$]+/y

const INTERPOLATED = /\$\{[^"\\\n}]*/y

/** The number of hexadecimal digits that follow each escape letter. */
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** Reads the members of an HCL text. */
export function* readHcl(text: string, kind: TextKind): Steps<HclBody> {
  const cursor = new HclCursor(text, kind)
  const body = yield* readBody(cursor)
  if (!cursor.done) throw cursor.refuse('a closing brace without an opening brace')
  return body
}

/** Reads the members up to a closing brace or the end of the text. Members need no separator; commas are allowed. */
function* readBody(cursor: HclCursor): Steps<HclBody> {
  const members: HclMember[] = []
  for (;;) {
    skip(cursor)
    if (cursor.done || cursor.text[cursor.at] === '}') return new HclBody(members)
    members.push(yield* readMember(cursor))
    skip(cursor)
    cursor.take(',')
    if (cursor.tired) yield
  }
}

function* readMember(cursor: HclCursor): Steps<HclMember> {
  const { at } = cursor
  const keys = [readKey(cursor)]
  for (;;) {
    skip(cursor)
    const [key = '', ...labels] = keys
    if (cursor.take('{')) return { key, labels, value: yield* cursor.inside(readBlock(cursor)), at }
    if (cursor.take('=')) {
      if (labels.length > 0) throw cursor.refuse('several keys before an equals sign', at)
      skip(cursor)
      return { key, labels, value: readScalar(cursor) ?? (yield* readNested(cursor)), at }
    }
    if (cursor.done) throw cursor.refuse('unexpected end, a value is missing')
    // Valid blocks have at most two keys. Without a limit, a text of many keys would take time in proportion to the square of its length.
    if (keys.length === 4) throw cursor.refuse('too many keys before a block', at)
    keys.push(readKey(cursor))
  }
}

function readKey(cursor: HclCursor): string {
  if (cursor.take('"')) return readString(cursor)
  const word = cursor.match(WORD)
  if (word === undefined) throw cursor.refuse('a key, an equals sign or an opening brace is missing')
  return word
}

function* readBlock(cursor: HclCursor): Steps<HclBody> {
  const body = yield* readBody(cursor)
  if (!cursor.take('}')) throw cursor.refuse('unexpected end, a closing brace is missing')
  return body
}

/** Reads a scalar. Undefined if a list or a block begins. */
function readScalar(cursor: HclCursor): HclValue | undefined {
  const { at, text } = cursor
  if (text[at] === '{' || text[at] === '[') return undefined
  if (cursor.take('"')) return readString(cursor)
  if (text.startsWith('<<', at)) return readHeredoc(cursor)
  const word = cursor.match(WORD)
  if (word === 'true' || word === 'false') return word === 'true'
  const number = word === undefined ? cursor.number(NUMBER) : undefined
  if (number === undefined) throw cursor.refuse(cursor.done ? 'unexpected end, a value is missing' : 'a value is missing', at)
  return number
}

function* readNested(cursor: HclCursor): Steps<HclValue> {
  if (cursor.take('{')) return yield* cursor.inside(readBlock(cursor))
  cursor.take('[')
  return yield* cursor.inside(readList(cursor))
}

/** Reads a list after its opening bracket. Commas separate the values, and a comma after the last value is allowed. */
function* readList(cursor: HclCursor): Steps<readonly HclValue[]> {
  const list: HclValue[] = []
  for (;;) {
    skip(cursor)
    if (cursor.take(']')) return list
    list.push(readScalar(cursor) ?? (yield* readNested(cursor)))
    skip(cursor)
    if (cursor.take(']')) return list
    if (!cursor.take(',')) throw cursor.refuse('a comma or a closing bracket is missing')
    if (cursor.tired) yield
  }
}

/** Skips white space and comments. */
function skip(cursor: HclCursor): void {
  for (;;) {
    cursor.match(SPACE)
    const { text, at } = cursor
    if (text[at] === '#' || text.startsWith('//', at)) cursor.match(LINE)
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end < 0) throw cursor.refuse('a comment that is not closed')
      cursor.at = end + 2
    } else return
  }
}

/**
 * Reads a string after its opening quote. An interpolation `${...}` is kept as text and not evaluated. A quote inside an interpolation is
 * refused, because Vault does not end the string at such a quote.
 */
function readString(cursor: HclCursor): string {
  const start = cursor.at - 1
  const pieces: string[] = []
  for (;;) {
    const plain = cursor.match(PLAIN)
    if (plain !== undefined) pieces.push(plain)
    if (cursor.take('"')) return pieces.join('')
    if (cursor.take('\\')) pieces.push(readEscape(cursor))
    else if (cursor.text.startsWith('${', cursor.at)) {
      const kept = cursor.match(INTERPOLATED) ?? ''
      if (!cursor.take('}')) throw cursor.refuse('an interpolation that is not closed before the next quote or backslash')
      pieces.push(kept, '}')
    } else if (cursor.take('$')) pieces.push('$')
    else throw cursor.refuse('a string that is not closed', start)
  }
}

function readEscape(cursor: HclCursor): string {
  const start = cursor.at - 1
  const letter = cursor.text[cursor.at++] ?? ''
  if (Object.hasOwn(GO_ESCAPES, letter)) return GO_ESCAPES[letter] as string
  const digits = HEX_DIGITS[letter]
  const octal = digits === undefined ? /^[0-3][0-7]{2}/.exec(cursor.text.slice(start + 1, start + 4))?.[0] : undefined
  if (octal !== undefined) cursor.at = start + 4
  else if (digits === undefined) throw cursor.refuse('an unknown escape sequence', start)
  const code = octal === undefined ? cursor.hex(digits as number) : Number.parseInt(octal, 8)
  // In Vault, octal escapes and escapes of two hexadecimal digits are single bytes of UTF-8. Accept only ASCII, because only ASCII bytes
  // are whole characters.
  const byte = octal !== undefined || letter === 'x'
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || (byte && code > 0x7f))
    throw cursor.refuse('an escape sequence that is not a character', start)
  return String.fromCodePoint(code)
}
