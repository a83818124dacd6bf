/** The syntax tree of HCL and JSON texts, and the cursor that the readers of both languages use. */
import type { KernelError } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'

/** A value in a text. `null` occurs only in the JSON form, and no member may have this value. */
export type HclValue = string | number | bigint | boolean | null | readonly HclValue[] | HclBody

/** A member: `key "label" ... value`. A text may contain a key several times. */
export interface HclMember {
  readonly key: string
  /** The labels of a block, such as `"a"` in `path "a" {}`. Always empty in JSON. */
  readonly labels: readonly string[]
  readonly value: HclValue
  /** The offset of the key in the text. */
  readonly at: number
}

/** The members between two braces, or the members of the whole text. */
export class HclBody {
  readonly members: readonly HclMember[]

  constructor(members: readonly HclMember[]) {
    this.members = members
  }
}

/** The kind of text that is parsed. It determines limits and error messages. */
export interface TextKind {
  /** The name of the text in error messages, such as `policy`. */
  readonly name: string
  /** The maximum length of the text in bytes of UTF-8. */
  readonly longest: number
  /** Creates the error for a broken rule. */
  refuse(rule: string): KernelError
}

/** The maximum depth of nested lists and blocks. */
const MAX_HCL_DEPTH = 32

/** The maximum length of a number. */
const MAX_NUMBER_CHARACTERS = 128

/** The maximum length of the text that an error message quotes. */
const MAX_SHOWN_CHARACTERS = 100

/** Matches a number with all characters that directly follow it, up to one more than the maximum length. */
const NUMBER_LIKE = /[-\d][\w.+-]{0,128}/y

/**
 * The number of characters that are read between two pauses. Short values are the slowest to read, at about four characters per
 * microsecond.
 */
const CHARACTERS_AT_ONCE = 16_384

/** A part of the text in quotes for an error message, shortened if necessary. */
export const quoteText = (text: string): string =>
  JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text)

/** The line of a text position. Counts from the beginning of the text, so use it only for error messages. */
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

  refuse(rule: string, at = this.at): KernelError {
    return this.kind.refuse(`${rule} on line ${lineNumberAt(this.text, at)}`)
  }

  /** If `character` is at the cursor, skips it and returns true. */
  take(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  /** Reads a nested list or block with `steps`, and limits the depth. */
  *inside<T>(steps: Steps<T>): Steps<T> {
    if (this.#depth === MAX_HCL_DEPTH) throw this.refuse(`more than ${MAX_HCL_DEPTH} levels of nesting`)
    this.#depth++
    const value = yield* steps
    this.#depth--
    return value
  }

  /** Whether the caller should yield, because it has read many characters since the last time this was true. */
  get tired(): boolean {
    if (this.at - this.#rested < CHARACTERS_AT_ONCE) return false
    this.#rested = this.at
    return true
  }

  /** Returns the text that a sticky pattern matches at the cursor, and moves the cursor after it. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** Reads the number at the cursor. `pattern` must match the whole number. Integers above 2^53 become bigints. */
  number(pattern: RegExp): number | bigint | undefined {
    const start = this.at
    const text = this.match(NUMBER_LIKE)
    if (text === undefined) return undefined
    if (text.length > MAX_NUMBER_CHARACTERS) throw this.refuse('a number that is too long', start)
    if (!pattern.test(text)) throw this.refuse('a value is missing', start)
    // `Number()` cannot parse negative hexadecimal numbers, so the sign is handled separately.
    const value = text.startsWith('-') ? -Number(text.slice(1)) : Number(text)
    if (!Number.isFinite(value)) throw this.refuse('a number that does not fit a double', start)
    if (Number.isSafeInteger(value) || !/^-?(?:0[xX][\da-fA-F]+|\d+)$/.test(text)) return value
    return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text)
  }

  /** Reads `length` hexadecimal digits at the cursor and returns their value. */
  hex(length: number): number {
    const digits = this.text.slice(this.at, this.at + length)
    if (digits.length < length || !/^[\da-fA-F]+$/.test(digits)) throw this.refuse('an escape sequence that is not a character')
    this.at += length
    return Number.parseInt(digits, 16)
  }
}
