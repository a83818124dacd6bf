/** Splits a template into literal text and the tokens of its actions. The lexical rules are those of Go's text/template. */
import type { KernelError } from '../base/errors.ts'
import { type ByteText, byteTextOf } from './byte-text.ts'
import { readQuoted } from './quoted.ts'

/** @property spaced Whether there is white space before the token. */
export type NameTemplateToken =
  | { readonly kind: 'word' | 'field' | 'variable' | 'mark'; readonly text: string; readonly spaced: boolean }
  | { readonly kind: 'literal'; readonly value: ByteText | number | boolean; readonly spaced: boolean }

export type NameTemplatePiece = { readonly text: ByteText } | { readonly tokens: readonly NameTemplateToken[] }

type Refuse = (rule: string) => KernelError

const SPACE = ' \t\r\n'
const isSpace = (character: string | undefined): boolean => character !== undefined && SPACE.includes(character)

const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
/** Matches any token that begins with a digit, or with a sign and a digit, even if it is not a valid number. */
const NUMBER = /[+-]?[0-9][A-Za-z0-9_.]*/y
const DECIMAL = /^[+-]?(0|[1-9][0-9]*)$/
/** Punctuation, longer marks first. */
const MARK = /:=|[.$|()=,]/y

/** @throws KernelError 400 */
export function readPieces(template: string, refuse: Refuse): readonly NameTemplatePiece[] {
  const pieces: NameTemplatePiece[] = []
  let at = 0
  let trim = false
  for (;;) {
    const open = template.indexOf('{{', at)
    const raw = template.slice(at, open < 0 ? undefined : open)
    const trimsBefore = open >= 0 && template[open + 2] === '-' && isSpace(template[open + 3])
    const text = trimmed(raw, trim, trimsBefore)
    if (text !== '') pieces.push({ text: byteTextOf(text) })
    if (open < 0) return pieces
    const action = new Action(template, open + (trimsBefore ? 3 : 2), refuse)
    const tokens = action.read()
    if (tokens) pieces.push({ tokens })
    at = action.at
    trim = action.trimsAfter
  }
}

function trimmed(text: string, start: boolean, end: boolean): string {
  let from = 0
  let to = text.length
  while (start && from < to && isSpace(text[from])) from++
  while (end && to > from && isSpace(text[to - 1])) to--
  return text.slice(from, to)
}

/** Reads one action of a template. `at` is the position in the text, at first the position after the opening braces. */
class Action {
  readonly #text: string
  readonly #refuse: Refuse
  at: number
  trimsAfter = false

  constructor(text: string, at: number, refuse: Refuse) {
    this.#text = text
    this.at = at
    this.#refuse = refuse
  }

  /** Reads the action. Returns undefined if the action is a comment. */
  read(): readonly NameTemplateToken[] | undefined {
    this.#skipSpace()
    if (this.#text.startsWith('/*', this.at)) return this.#comment()
    const tokens: NameTemplateToken[] = []
    for (;;) {
      const spaced = this.#skipSpace()
      if (this.#ends(spaced)) return tokens
      tokens.push(this.#token(spaced))
    }
  }

  #comment(): undefined {
    const end = this.#text.indexOf('*/', this.at + 2)
    if (end < 0) throw this.#refuse('a comment is not closed')
    this.at = end + 2
    if (!this.#ends(this.#skipSpace())) throw this.#refuse('a comment must be the only content of its action')
    return undefined
  }

  /** Skips white space. Returns whether there was any. */
  #skipSpace(): boolean {
    const from = this.at
    while (isSpace(this.#text[this.at])) this.at++
    return this.at > from
  }

  /** If the closing braces are next, skips them and returns true. */
  #ends(spaced: boolean): boolean {
    this.trimsAfter = spaced && this.#text.startsWith('-}}', this.at)
    if (!this.trimsAfter && !this.#text.startsWith('}}', this.at)) return false
    this.at += this.trimsAfter ? 3 : 2
    return true
  }

  #token(spaced: boolean): NameTemplateToken {
    const next = this.#text[this.at]
    if (next === undefined) throw this.#refuse('an action is not closed')
    if (next === '"' || next === '`') {
      const { value, end } = readQuoted(this.#text, this.at, this.#refuse)
      this.at = end
      return { kind: 'literal', value, spaced }
    }
    const number = this.#match(NUMBER)
    if (number !== undefined) return { kind: 'literal', value: this.#number(number), spaced }
    const word = this.#match(WORD)
    if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true', spaced }
    if (word !== undefined) return { kind: 'word', text: word, spaced }
    const mark = this.#match(MARK)
    if (mark === undefined) throw this.#refuse('an action contains an unexpected character')
    const name = mark === '.' || mark === '$' ? this.#match(WORD) : undefined
    if (name === undefined) return { kind: 'mark', text: mark, spaced }
    return { kind: mark === '.' ? 'field' : 'variable', text: name, spaced }
  }

  #number(digits: string): number {
    const number = Number(digits)
    if (!DECIMAL.test(digits) || !Number.isSafeInteger(number)) throw this.#refuse('numbers must be decimal integers')
    // Adding 0 changes -0 to 0.
    return number + 0
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)?.[0]
    this.at += found?.length ?? 0
    return found
  }
}
