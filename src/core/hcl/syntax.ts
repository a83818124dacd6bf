/**
 * The syntax tree of both notations, and what their readers share.
 */
import type { KernelError } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'

/** A value as it stands in the text. `null` exists in JSON only, and no key takes it. */
export type HclValue = string | number | bigint | boolean | null | readonly HclValue[] | HclBody

/** One `key "label" ... value`. A key may appear several times. */
export interface HclMember {
  readonly key: string
  /** The further keys of a block, `"a"` in `path "a" {}`. Always none in JSON. */
  readonly labels: readonly string[]
  readonly value: HclValue
  /** Where the key begins in the text. */
  readonly at: number
}

/** The content of braces, or of the whole text. */
export class HclBody {
  readonly members: readonly HclMember[]

  constructor(members: readonly HclMember[]) {
    this.members = members
  }
}

/** What a text is to whoever has it read. */
export interface TextKind {
  /** With which refusals call it, such as `policy`. */
  readonly name: string
  /** In bytes of UTF-8. */
  readonly longest: number
  /** Words the rule that a text breaks. */
  refuse(rule: string): KernelError
}

/** Levels of nested lists and blocks. */
export const MAX_HCL_DEPTH = 32

/** The longest number, and the longest quotation in a message. */
const MAX_NUMBER_CHARACTERS = 128

const MAX_SHOWN_CHARACTERS = 100

/** Where a number begins, what it and nothing that parts it from others is made of: up to more than a number may be long. */
const NUMBER_LIKE = /[-\d][\w.+-]{0,128}/y

/** Characters read between two pauses; the slowest to read are short values, of which a microsecond takes about four characters. */
const CHARACTERS_AT_ONCE = 16_384

/** A quotation of the text for a message. */
export const quoteText = (text: string): string =>
  JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text)

/** The line of an offset. Only for refusals: it counts from the start. */
export function lineNumberAt(text: string, at: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++
  return line
}

/** Reads a text from front to back. */
export class HclCursor {
  readonly text: string
  readonly kind: TextKind
  at = 0
  #depth = 0
  #rested = 0

  constructor(text: string, kind: TextKind) {
    this.text = text
    this.kind = kind
  }

  get done(): boolean {
    return this.at >= this.text.length
  }

  /** The code of the character at the cursor, NaN at the end. */
  get code(): number {
    return this.text.charCodeAt(this.at)
  }

  refuse(rule: string, at = this.at): KernelError {
    return this.kind.refuse(`${rule} on line ${lineNumberAt(this.text, at)}`)
  }

  /** Steps over one character, if it is the one at the cursor. */
  take(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  /** Reads a nested list or block. */
  *inside<T>(steps: Steps<T>): Steps<T> {
    if (this.#depth === MAX_HCL_DEPTH) throw this.refuse(`more than ${MAX_HCL_DEPTH} levels of nesting`)
    this.#depth++
    const value = yield* steps
    this.#depth--
    return value
  }

  /** True when enough was read that it is time to yield; it then starts at zero. */
  get tired(): boolean {
    if (this.at - this.#rested < CHARACTERS_AT_ONCE) return false
    this.#rested = this.at
    return true
  }

  /** The text that a sticky pattern matches at the cursor; the cursor moves behind it. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** A number at the cursor that is one by `pattern`, which matches numbers as a whole. Integers beyond 2^53 are bigints. */
  number(pattern: RegExp): number | bigint | undefined {
    const start = this.at
    const text = this.match(NUMBER_LIKE)
    if (text === undefined) return undefined
    if (text.length > MAX_NUMBER_CHARACTERS) throw this.refuse('a number that is too long', start)
    if (!pattern.test(text)) throw this.refuse('a value is missing', start)
    // Number() does not parse negative hexadecimal numbers.
    const value = text.startsWith('-') ? -Number(text.slice(1)) : Number(text)
    if (!Number.isFinite(value)) throw this.refuse('a number beyond the range of a double', start)
    if (Number.isSafeInteger(value) || !/^-?(?:0[xX][\da-fA-F]+|\d+)$/.test(text)) return value
    return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text)
  }

  /** `length` hexadecimal digits at the cursor, as a number. */
  hex(length: number): number {
    const digits = this.text.slice(this.at, this.at + length)
    if (digits.length < length || !/^[\da-fA-F]+$/.test(digits)) throw this.refuse('an escape that is no character')
    this.at += length
    return Number.parseInt(digits, 16)
  }
}
