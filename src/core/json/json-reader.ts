/**
 * Reads JSON of any size without losing digits and without blocking the event loop. It is used for long bodies, for short bodies whose
 * values `JSON.parse` would change, and to find the position of an error.
 */
import type { Steps } from '../base/steps.ts'
import { texts } from '../base/texts.ts'
import { addValue, emptyContainer, hasMember, type JsonContainer, nameBytes, trimArray } from './json-container.ts'
import { BODY_LIMITS, type JsonCursor, type JsonLimits, jsonError, type OnJsonGrowth } from './json-cursor.ts'
import { readJsonNumber } from './json-number.ts'
import { readPiece } from './json-string.ts'

/**
 * The work between two yields, in bytes. Each value and each name counts as additional bytes (see the charges below). A name has the higher
 * charge, because V8 looks each name up in its table of strings.
 */
const SLICE = 65_536

const VALUE_CHARGE = 16

const NAME_CHARGE = 64

/**
 * V8 hashes strings of more than 16,383 characters by their length only. So when V8 looks up such a name in its table of strings, it
 * compares the name with all names of equal length, character by character. A name that is longer than this therefore counts as all the
 * work that is allowed between two yields.
 */
const LONG_NAME = 8192

/**
 * The memory in bytes that a value takes in V8, including its slot in the array or object but without the characters of strings. Measured.
 */
const CONTAINER_BYTES = 72

const TEXT_BYTES = 32

const SMALL_INTEGER_BYTES = 12

const NUMBER_BYTES = 24

/** The states of the parser. The state determines which tokens are allowed next. */
const VALUE = 0

const FIRST_ELEMENT = 1

const FIRST_NAME = 2

const NAME = 3

const COLON = 4

const AFTER_VALUE = 5

/**
 * Parses the text and returns its value. Undefined if the text is empty or only white space.
 *
 * Objects have the ordinary prototype. Objects with more than 16,384 members are `WideObject`s. `__proto__` is an ordinary member name. If
 * a name is repeated, the last value is used, unless the limits refuse repeated names.
 * @throws KernelError 400 that names the broken rule and the offset of the byte
 */
export function* readJson(input: Uint8Array, limits: JsonLimits = BODY_LIMITS, grow?: OnJsonGrowth): Steps<unknown> {
  const bytes = texts.view(input)
  const cursor: JsonCursor = { limits, bytes, at: 0, closed: false, scratch: undefined }
  const { repeatedNames } = limits
  const levels: JsonContainer[] = []
  let depth = 0
  let open: JsonContainer | undefined
  let expect = VALUE
  let charged = 0
  let values = 0
  let memory = 0
  let due = SLICE

  for (;;) {
    if (cursor.at + charged >= due) {
      grow?.(memory, cursor.at)
      yield
      due = cursor.at + charged + SLICE
    }
    const c = bytes[cursor.at]
    if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) {
      cursor.at++
      continue
    }

    let value: unknown
    if (expect <= FIRST_ELEMENT) {
      charged += VALUE_CHARGE
      if (++values > limits.values) throw jsonError(`more than ${limits.values} values`, cursor.at)
      if (c === 0x22) {
        cursor.at++
        memory += TEXT_BYTES
        const piece = readPiece(cursor)
        value = cursor.closed ? piece : yield* readRest(cursor, piece)
      } else if (c === 0x7b || c === 0x5b) {
        if (depth === limits.levels) throw jsonError(`more than ${limits.levels} levels of nesting`, cursor.at)
        cursor.at++
        memory += CONTAINER_BYTES
        open = levels[depth++] ??= emptyContainer()
        open.array = c === 0x5b ? [] : undefined
        open.object = c === 0x7b ? {} : undefined
        open.wide = undefined
        open.members = 0
        open.differs = false
        expect = c === 0x7b ? FIRST_NAME : FIRST_ELEMENT
        continue
      } else if (c === 0x5d && expect === FIRST_ELEMENT) {
        cursor.at++
        value = open?.array
        open = levels[--depth - 1]
      } else if (c === 0x2d || (c !== undefined && c >= 0x30 && c <= 0x39)) {
        const start = cursor.at
        const number = readJsonNumber(cursor)
        const small = typeof number === 'number' && (number | 0) === number
        memory += small ? SMALL_INTEGER_BYTES : NUMBER_BYTES + cursor.at - start
        value = number
      } else if (c === undefined && !open) return undefined
      else {
        memory += SMALL_INTEGER_BYTES
        value = readWord(cursor, c)
      }
    } else if (expect === COLON) {
      if (c !== 0x3a) throw jsonError(missing(c, 'a colon'), cursor.at)
      cursor.at++
      expect = VALUE
      continue
    } else if (c === 0x2c && expect === AFTER_VALUE) {
      cursor.at++
      expect = open?.array ? VALUE : NAME
      continue
    } else if (expect === AFTER_VALUE || (expect === FIRST_NAME && c === 0x7d)) {
      if (c !== (open?.array ? 0x5d : 0x7d)) throw jsonError(missing(c, 'a comma or a closing bracket'), cursor.at)
      cursor.at++
      value = open?.array ? trimArray(open.array) : (open?.wide ?? open?.object)
      open = levels[--depth - 1]
    } else {
      if (c !== 0x22) throw jsonError(missing(c, 'a member name in double quotes'), cursor.at)
      const start = cursor.at++
      const piece = readPiece(cursor)
      const name = cursor.closed ? piece : yield* readRest(cursor, piece)
      if (!repeatedNames && hasMember(open as JsonContainer, name)) throw jsonError('a repeated member name', start)
      ;(open as JsonContainer).name = name
      memory += nameBytes(open as JsonContainer, name)
      charged += name.length > LONG_NAME ? SLICE : NAME_CHARGE
      expect = COLON
      continue
    }

    if (!open) {
      grow?.(memory, cursor.at)
      return yield* readEnd(cursor, value)
    }
    addValue(open, value)
    expect = AFTER_VALUE
  }
}

/** After the value, only white space may follow. */
function* readEnd(cursor: JsonCursor, value: unknown): Steps<unknown> {
  const { bytes } = cursor
  for (; cursor.at < bytes.length; cursor.at++) {
    const c = bytes[cursor.at]
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) throw jsonError('text after the end of the value', cursor.at)
    if (cursor.at % SLICE === 0) yield
  }
  return value
}

/** Reads the remaining pieces of a string that is longer than one piece. */
function* readRest(cursor: JsonCursor, head: string): Steps<string> {
  let text = head
  while (!cursor.closed) {
    yield
    text += readPiece(cursor)
  }
  return text
}

function readWord(cursor: JsonCursor, c: number | undefined): boolean | null {
  const word = c === 0x74 ? 'true' : c === 0x66 ? 'false' : c === 0x6e ? 'null' : ''
  if (word === '' || texts.latin1(cursor.bytes, cursor.at, cursor.at + word.length) !== word)
    throw jsonError(missing(c, 'a value'), cursor.at)
  cursor.at += word.length
  return word === 'null' ? null : word === 'true'
}

const missing = (c: number | undefined, wanted: string): string =>
  c === undefined ? `unexpected end, ${wanted} is missing` : `${wanted} is missing`
