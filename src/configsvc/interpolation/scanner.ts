/** Reads a template: the literal text, and the tokens between braces. */
import { invalid, type KernelError } from '../../core/base/errors.ts'
import { lineAndColumn } from '../expression/position.ts'
import { MAX_NAME_TEMPLATE_DEPTH } from './nodes.ts'

const SPACE = /[ \t\r\n]+/y

/** Names may contain dots and dashes, and a star between two dots. */
const NAME = /[\p{L}_](?:[\p{L}\p{Nd}\p{M}_-]|\.\*(?=\.)|\.)*/uy

const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const SIGN = /\|\||&&|[=!<>]=|./suy

/** Literal text up to the next character that may have a special meaning. */
const PLAIN = /[^$]+/y

const PLAIN_QUOTED = /[^$"\\]+/y

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n' }

export type TemplateToken = { readonly kind: 'name' | 'number' | 'sign' | 'end'; readonly text: string; readonly at: number }

export class TemplateScanner {
  readonly text: string
  at = 0
  #depth = 0
  #token: TemplateToken | undefined

  constructor(text: string) {
    this.text = text
  }

  refuse(rule: string, at: number): KernelError {
    return invalid(`parse error at ${lineAndColumn(this.text, at)}: ${rule}`)
  }

  /** The error for a token other than `expected`. */
  unexpected(expected: string): KernelError {
    const { kind, text, at } = this.peek()
    return this.refuse(`expected ${expected} but found ${kind === 'end' ? 'end of string' : JSON.stringify(text)}`, at)
  }

  /** Reads a nested construct and counts the depth. */
  nested<T>(read: () => T): T {
    if (this.#depth === MAX_NAME_TEMPLATE_DEPTH)
      throw this.refuse(`more than ${MAX_NAME_TEMPLATE_DEPTH} levels of nesting`, this.#token?.at ?? this.at)
    this.#depth++
    const result = read()
    this.#depth--
    return result
  }

  /** Returns the next token between braces, without moving past it. */
  peek(): TemplateToken {
    this.#token ??= this.#scan()
    return this.#token
  }

  next(): TemplateToken {
    const token = this.peek()
    this.#token = undefined
    this.at = token.at + token.text.length
    return token
  }

  /** Moves past the given operator or bracket if it is the next token. Returns whether it was. */
  take(sign: string): boolean {
    const { kind, text } = this.peek()
    if (kind !== 'sign' || text !== sign) return false
    this.next()
    return true
  }

  expect(sign: string): void {
    if (!this.take(sign)) throw this.unexpected(JSON.stringify(sign))
  }

  /** Returns the literal text up to `${`, the end or, within quotes, the closing quote. */
  literal(quoted: boolean): string {
    let text = ''
    for (;;) {
      text += this.#match(quoted ? PLAIN_QUOTED : PLAIN) ?? ''
      const { at } = this
      const character = this.text[at]
      if (character === undefined || character === '"' || this.text.startsWith('${', at)) return text
      if (character === '\\') text += this.#escape()
      else {
        // Two dollar signs become one. A single dollar sign that no brace follows is kept.
        this.at += this.text[at + 1] === '$' ? 2 : 1
        text += '$'
      }
    }
  }

  #escape(): string {
    const letter = this.text[this.at + 1] ?? ''
    if (!Object.hasOwn(ESCAPES, letter)) throw this.refuse('a backslash must be followed by a backslash, a quote or n', this.at)
    this.at += 2
    return ESCAPES[letter] as string
  }

  #scan(): TemplateToken {
    this.#match(SPACE)
    const { at } = this
    const name = this.#match(NAME)
    if (name !== undefined) return { kind: 'name', text: name, at }
    const number = this.#match(NUMBER)
    if (number !== undefined) return { kind: 'number', text: number, at }
    const sign = this.#match(SIGN)
    return sign === undefined ? { kind: 'end', text: '', at } : { kind: 'sign', text: sign, at }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }
}
