/**
 * Reads the JSON form of HCL (RFC 8259).
 *
 * The JSON reader for request bodies cannot be used here, because it keeps only the last of two members with the same name. A policy that
 * names a path twice would lose a rule, and the lost rule might be one that denies.
 */
import type { Steps } from '../base/steps.ts'
import { HclBody, HclCursor, type HclMember, type HclValue, type TextKind } from './syntax.ts'

const SPACE = /[ \t\r\n]*/y

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const WORD = /(?:true|false|null)(?!\w)/y

// biome-ignore lint/suspicious/noControlCharactersInRegex: strings must not contain them
const PLAIN = /[^"\\\u0000-\u001f]+/y

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Reads an object in a JSON text. Keeps all members, even if they have the same name. */
export function* readJsonForm(text: string, kind: TextKind): Steps<HclBody> {
  const cursor = new HclCursor(text, kind)
  cursor.match(SPACE)
  const value = yield* readValue(cursor)
  cursor.match(SPACE)
  if (!cursor.done) throw cursor.refuse(`unexpected text after the end of the ${kind.name}`)
  if (!(value instanceof HclBody)) throw cursor.refuse(`a ${kind.name} in JSON must be an object`)
  return value
}

function* readValue(cursor: HclCursor): Steps<HclValue> {
  const scalar = readScalar(cursor)
  if (scalar !== undefined) return scalar
  if (cursor.take('{')) return yield* cursor.inside(readObject(cursor))
  cursor.take('[')
  return yield* cursor.inside(readList(cursor))
}

/** Reads a scalar. Undefined if a list or an object begins. */
function readScalar(cursor: HclCursor): HclValue | undefined {
  const { at, text } = cursor
  if (text[at] === '{' || text[at] === '[') return undefined
  if (cursor.take('"')) return readString(cursor)
  const word = cursor.match(WORD)
  if (word !== undefined) return word === 'null' ? null : word === 'true'
  const number = cursor.number(NUMBER)
  if (number === undefined) throw cursor.refuse(cursor.done ? 'unexpected end' : 'a value is missing')
  return number
}

function* readObject(cursor: HclCursor): Steps<HclBody> {
  const members: HclMember[] = []
  cursor.match(SPACE)
  if (cursor.take('}')) return new HclBody(members)
  do {
    if (cursor.tired) yield
    cursor.match(SPACE)
    const { at } = cursor
    if (!cursor.take('"')) throw cursor.refuse('a member name in double quotes is missing')
    const key = readString(cursor)
    cursor.match(SPACE)
    if (!cursor.take(':')) throw cursor.refuse('a colon is missing')
    cursor.match(SPACE)
    members.push({ key, labels: [], value: yield* readValue(cursor), at })
    cursor.match(SPACE)
  } while (cursor.take(','))
  if (!cursor.take('}')) throw cursor.refuse('a comma or a closing brace is missing')
  return new HclBody(members)
}

function* readList(cursor: HclCursor): Steps<readonly HclValue[]> {
  const list: HclValue[] = []
  cursor.match(SPACE)
  if (cursor.take(']')) return list
  do {
    if (cursor.tired) yield
    cursor.match(SPACE)
    list.push(yield* readValue(cursor))
    cursor.match(SPACE)
  } while (cursor.take(','))
  if (!cursor.take(']')) throw cursor.refuse('a comma or a closing bracket is missing')
  return list
}

/** Reads a string after its opening quote. */
function readString(cursor: HclCursor): string {
  const start = cursor.at - 1
  const pieces: string[] = []
  for (;;) {
    const plain = cursor.match(PLAIN)
    if (plain !== undefined) pieces.push(plain)
    if (cursor.take('"')) return pieces.join('')
    if (!cursor.take('\\')) throw cursor.refuse('a string that is not closed', start)
    const letter = cursor.text[cursor.at++] ?? ''
    if (letter === 'u') pieces.push(String.fromCharCode(cursor.hex(4)))
    else if (Object.hasOwn(ESCAPES, letter)) pieces.push(ESCAPES[letter] as string)
    else throw cursor.refuse('an unknown escape sequence', cursor.at - 1)
  }
}
