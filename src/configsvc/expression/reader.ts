/** Reads the tokens of an expression: names, numbers, strings and white space. */
import { MAX_EXPRESSION_DEPTH } from './syntax.ts'
import { unquote } from './unquote.ts'

const SPACE = /[ \t\r\n]+/y

const NAME = /[a-zA-Z][a-zA-Z0-9_]*/y

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?/y

const AFTER_NUMBER = /[ \t\r\n)]/y

/**
 * Why a string is not an expression, and the position. Not an Error object, because the parser may fail with one rule for many tokens and
 * continue with another rule.
 */
export class Mismatch {
  readonly at: number
  readonly reason: string

  constructor(at: number, reason: string) {
    this.at = at
    this.reason = reason
  }
}

export class ExpressionReader {
  readonly text: string
  at = 0
  #depth = 0

  constructor(text: string) {
    this.text = text
  }

  get done(): boolean {
    return this.at >= this.text.length
  }

  /** The string at `at` matches none of `expected`. */
  mismatch(expected: string, at = this.at): Mismatch {
    return new Mismatch(at, `no match found, expected: ${expected}`)
  }

  /** The string at `at` begins like a named rule of the grammar, but violates it. */
  ruleMismatch(rule: string, reason: string, at = this.at): Mismatch {
    return new Mismatch(at, `rule "${rule}": ${reason}`)
  }

  /** Matches a sticky regular expression at the current position and moves past the match. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at += found[0].length
    return found ?? undefined
  }

  take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  /** Moves past white space. Returns whether there was any. */
  space(): boolean {
    return this.match(SPACE) !== undefined
  }

  /** Reads the content of parentheses, or the operand of `not`. */
  nested<T>(read: () => T): T {
    if (this.#depth === MAX_EXPRESSION_DEPTH) throw new Mismatch(this.at, `more than ${MAX_EXPRESSION_DEPTH} levels of nesting`)
    this.#depth++
    try {
      return read()
    } finally {
      this.#depth--
    }
  }

  /** Undefined if no name begins here. */
  selector(): readonly string[] | undefined {
    const first = this.match(NAME)
    if (!first) return undefined
    const names = [first[0]]
    for (;;) {
      if (this.take('.')) {
        const name = this.match(NAME)
        if (!name) throw this.mismatch('a name')
        names.push(name[0])
      } else if (this.take('[')) names.push(this.#index())
      else return names
    }
  }

  /** A name in brackets, after the opening bracket was read. */
  #index(): string {
    const start = this.at - 1
    this.space()
    const name = this.string()
    if (name === undefined) throw this.ruleMismatch('index', 'Invalid index')
    this.space()
    if (!this.take(']')) throw this.ruleMismatch('index', 'Unclosed index expression', start)
    return name
  }

  /** The number as written; undefined if no number begins here. */
  number(): string | undefined {
    const start = this.at
    const number = this.match(NUMBER)
    if (!number) return undefined
    AFTER_NUMBER.lastIndex = this.at
    if (!this.done && !AFTER_NUMBER.test(this.text)) throw this.ruleMismatch('number', 'Invalid number literal', start)
    return number[0]
  }

  /** The content of a string in quotes or backticks; undefined if no string begins here. */
  string(): string | undefined {
    const start = this.at
    const quote = this.text[start]
    if (quote !== '"' && quote !== '`') return undefined
    const end = this.text.indexOf(quote, start + 1)
    if (end < 0) throw this.ruleMismatch('string', 'Unterminated string literal', start)
    this.at = end + 1
    const content = this.text.slice(start + 1, end)
    if (quote === '`') return content.replaceAll('\r', '')
    const value = unquote(content)
    if (value === undefined) throw this.ruleMismatch('string', 'invalid syntax', start)
    return value
  }
}
