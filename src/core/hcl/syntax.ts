/** The syntax tree of HCL and JSON texts, and the cursor that both readers use. */
import type { KernelError } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'

/** A value in the text. Only JSON has `null`, and no key accepts it. */
export type HclValue = string | number | bigint | boolean | null | readonly HclValue[] | HclBody

/** One `key "label" ... value`. A key may occur several times. */
export interface HclMember {
  readonly key: string
  /** The further keys of a block, such as `"a"` in `path "a" {}`. Always empty in JSON. */
  readonly labels: readonly string[]
  readonly value: HclValue
  /** The offset of the key in the text. */
  readonly at: number
}

/** The members between two braces, or of the whole text. */
export class HclBody {
  readonly members: readonly HclMember[]

  constructor(members: readonly HclMember[]) {
    this.members = members
  }
}

/** The kind of text to parse, for limits and messages. */
export interface TextKind {
  /** The name in messages, such as `policy`. */
  readonly name: string
  /** The maximum length in bytes of UTF-8. */
  readonly longest: number
  /** Makes the error for a violated rule. */
  refuse(rule: string): KernelError
}

/** The maximum depth of nested lists and blocks. */
export const MAX_HCL_DEPTH = 32

/** The maximum length of a number, and of a quotation in a message. */
const MAX_NUMBER_CHARACTERS = 128

const MAX_SHOWN_CHARACTERS = 100

/** A number and all characters that may directly follow it, up to one more than the maximum length. */
const NUMBER_LIKE = /[-\d][\w.+-]{0,128}/y

/** Characters read between two pauses. Short values are the slowest: about four characters per microsecond. */
const CHARACTERS_AT_ONCE = 16_384

/** The text in quotes for a message, shortened. */
export const quoteText = (text: string): string =>
  JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text)

/** The line of an offset, counted from the start of the text; only for error messages. */
export function lineNumberAt(text: string, at: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++
  return line
}

/** Reads a text from beginning to end. */
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

  /** The UTF-16 code unit at the cursor, NaN at the end. */
  get code(): number {
    return this.text.charCodeAt(this.at)
  }

  refuse(rule: string, at = this.at): KernelError {
    return this.kind.refuse(`${rule} on line ${lineNumberAt(this.text, at)}`)
  }

  /** Advances over `character` if it is at the cursor. */
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

  /** Whether enough was read that the caller should yield. Resets the count. */
  get tired(): boolean {
    if (this.at - this.#rested < CHARACTERS_AT_ONCE) return false
    this.#rested = this.at
    return true
  }

  /** The text that a sticky pattern matches at the cursor. Advances the cursor over it. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** The number at the cursor. `pattern` must match it as a whole. Integers beyond 2^53 become bigints. */
  number(pattern: RegExp): number | bigint | undefined {
    const start = this.at
    const text = this.match(NUMBER_LIKE)
    if (text === undefined) return undefined
    if (text.length > MAX_NUMBER_CHARACTERS) throw this.refuse('a number that is too long', start)
    if (!pattern.test(text)) throw this.refuse('a value is missing', start)
    // Number() cannot parse negative hexadecimal numbers.
    const value = text.startsWith('-') ? -Number(text.slice(1)) : Number(text)
    if (!Number.isFinite(value)) throw this.refuse('a number that does not fit a double', start)
    if (Number.isSafeInteger(value) || !/^-?(?:0[xX][\da-fA-F]+|\d+)$/.test(text)) return value
    return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text)
  }

  /** The value of `length` hexadecimal digits at the cursor. */
  hex(length: number): number {
    const digits = this.text.slice(this.at, this.at + length)
    if (digits.length < length || !/^[\da-fA-F]+$/.test(digits)) throw this.refuse('an escape sequence that is not a character')
    this.at += length
    return Number.parseInt(digits, 16)
  }
}
