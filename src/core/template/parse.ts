/**
 * Tokens become the tree that is run (source: the grammar of Go's text/template, without range, define, template and block).
 */
import type { KernelError } from '../base/errors.ts'
import type { TemplateFunction } from './function.ts'
import { FUNCTIONS } from './functions.ts'
import { DEEPEST } from './limits.ts'
import type { Branch, Expression, Node } from './nodes.ts'
import type { Piece, Token } from './tokens.ts'

type Refuse = (rule: string) => KernelError

export interface ParsedTemplate {
  readonly nodes: readonly Node[]
  /** How many variables live at one time. */
  readonly slots: number
}

/** @throws KernelError 400 */
export function parseTemplate(pieces: readonly Piece[], refuse: Refuse): ParsedTemplate {
  const blocks = new Blocks(pieces, refuse)
  return { nodes: blocks.parse(), slots: blocks.slots }
}

const WITHOUT = ['range', 'break', 'continue', 'define', 'template', 'block', 'nil']

/** The last word of a list of nodes: what ended it. */
type End = { readonly word: 'end' } | { readonly word: 'else'; readonly rest: Cursor } | undefined

class Blocks {
  readonly #pieces: readonly Piece[]
  readonly #refuse: Refuse
  /** Variables by the slot each has. */
  readonly #scope: string[] = []
  #at = 0
  #depth = 0
  slots = 0

  constructor(pieces: readonly Piece[], refuse: Refuse) {
    this.#pieces = pieces
    this.#refuse = refuse
  }

  parse(): readonly Node[] {
    const [nodes, end] = this.#nodes()
    if (end) throw this.#refuse(`there is an ${end.word} that belongs to nothing`)
    return nodes
  }

  #nodes(): readonly [readonly Node[], End] {
    const nodes: Node[] = []
    for (let piece = this.#pieces[this.#at++]; piece; piece = this.#pieces[this.#at++]) {
      if ('text' in piece) {
        nodes.push({ kind: 'text', text: piece.text })
        continue
      }
      const cursor = new Cursor(piece.tokens, this.#refuse)
      const word = cursor.word
      if (word !== undefined && WITHOUT.includes(word)) throw this.#refuse(`${word} cannot be used`)
      if (word === 'end') {
        cursor.next()
        cursor.finish()
        return [nodes, { word }]
      }
      if (word === 'else') {
        cursor.next()
        return [nodes, { word, rest: cursor }]
      }
      nodes.push(word === 'if' || word === 'with' ? this.#branch(cursor) : this.#action(cursor))
    }
    return [nodes, undefined]
  }

  /** From its word on to the end that belongs to it. */
  #branch(cursor: Cursor): Branch {
    if (++this.#depth > DEEPEST) throw this.#refuse(`blocks may stand at most ${DEEPEST} deep within each other`)
    const outer = this.#scope.length
    const moves = cursor.word === 'with'
    cursor.next()
    const declared = cursor.declaration()
    const on = new Pipelines(cursor, this.#scope, this.#refuse).whole()
    const slot = declared === undefined ? undefined : this.#declare(declared)
    const [then, end] = this.#nodes()
    if (!end) throw this.#refuse('an if or with has no end')
    const otherwise = end.word === 'else' ? this.#otherwise(end.rest) : []
    this.#scope.length = outer
    this.#depth--
    return { kind: 'branch', on, slot, moves, then, otherwise }
  }

  #otherwise(rest: Cursor): readonly Node[] {
    if (rest.word === 'if' || rest.word === 'with') return [this.#branch(rest)]
    rest.finish()
    const [nodes, end] = this.#nodes()
    if (end?.word !== 'end') throw this.#refuse(end ? 'there is a second else' : 'an else has no end')
    return nodes
  }

  #action(cursor: Cursor): Node {
    const changed = cursor.assignment()
    const declared = cursor.declaration()
    const value = new Pipelines(cursor, this.#scope, this.#refuse).whole()
    if (declared !== undefined) return { kind: 'set', slot: this.#declare(declared), value }
    if (changed === undefined) return { kind: 'print', value }
    return { kind: 'set', slot: slotOf(this.#scope, changed, this.#refuse), value }
  }

  #declare(name: string): number {
    this.slots = Math.max(this.slots, this.#scope.push(name))
    return this.#scope.length - 1
  }
}

function slotOf(scope: readonly string[], name: string, refuse: Refuse): number {
  const slot = scope.lastIndexOf(name)
  if (slot < 0) throw refuse('a variable is used that was not declared')
  return slot
}

/** The tokens of one action, from front to back. */
class Cursor {
  readonly #tokens: readonly Token[]
  readonly #refuse: Refuse
  #at = 0

  constructor(tokens: readonly Token[], refuse: Refuse) {
    this.#tokens = tokens
    this.#refuse = refuse
  }

  get token(): Token | undefined {
    return this.#tokens[this.#at]
  }

  /** The next token, where it is a word. */
  get word(): string | undefined {
    return this.token?.kind === 'word' ? this.token.text : undefined
  }

  next(): Token | undefined {
    return this.#tokens[this.#at++]
  }

  isMark(text: string): boolean {
    return this.token?.kind === 'mark' && this.token.text === text
  }

  /** The name in front of `:=`. */
  declaration(): string | undefined {
    return this.#target(':=')
  }

  /** The name in front of `=`. */
  assignment(): string | undefined {
    return this.#target('=')
  }

  #target(sign: string): string | undefined {
    const [name, mark] = [this.token, this.#tokens[this.#at + 1]]
    if (name?.kind !== 'variable' || mark?.kind !== 'mark' || mark.text !== sign) return undefined
    this.#at += 2
    return name.text
  }

  finish(): void {
    if (this.token) throw this.#refuse('an action has more in it than belongs there')
  }
}

/** Expressions: commands with pipes between them. */
class Pipelines {
  readonly #cursor: Cursor
  readonly #scope: readonly string[]
  readonly #refuse: Refuse
  #depth = 0

  constructor(cursor: Cursor, scope: readonly string[], refuse: Refuse) {
    this.#cursor = cursor
    this.#scope = scope
    this.#refuse = refuse
  }

  /** The rest of the action. */
  whole(): Expression {
    const value = this.#pipeline()
    this.#cursor.finish()
    return value
  }

  #pipeline(): Expression {
    let value = this.#command()
    while (this.#cursor.isMark('|')) {
      this.#cursor.next()
      this.#goDeeper()
      if (this.#cursor.word === undefined) throw this.#refuse('what stands behind a pipe must be a function')
      value = this.#command(value)
    }
    return value
  }

  #command(piped?: Expression): Expression {
    const { word } = this.#cursor
    if (word === undefined) return this.#operand()
    this.#cursor.next()
    const operands: Expression[] = []
    while (this.#cursor.token && !this.#cursor.isMark('|') && !this.#cursor.isMark(')')) {
      if (!this.#cursor.token.spaced) throw this.#refuse('operands need white space between them')
      operands.push(this.#operand())
    }
    if (piped) operands.push(piped)
    return this.#call(word, operands)
  }

  #call(name: string, operands: readonly Expression[]): Expression {
    const called: TemplateFunction | undefined = FUNCTIONS.get(name)
    if (!called) throw this.#refuse('a function is called that is not known')
    const { least, most } = called
    if (operands.length >= least && operands.length <= most) return { kind: 'call', function: called, operands }
    const number = least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
    throw this.#refuse(`${name} takes ${number} operands, what is piped in included`)
  }

  /** A value, or a field of it. Fields are texts and have none of their own. */
  #operand(): Expression {
    const value = this.#term()
    const { token } = this.#cursor
    if (token?.kind !== 'field' || token.spaced) return value
    if (value.kind === 'field') throw this.#refuse('a field is named that does not exist')
    this.#cursor.next()
    return { kind: 'field', of: value, name: token.text }
  }

  #term(): Expression {
    const token = this.#cursor.next()
    if (!token) throw this.#refuse('an action lacks a value')
    if (token.kind === 'literal') return { kind: 'literal', value: token.value }
    if (token.kind === 'word') return this.#call(token.text, [])
    if (token.kind === 'field') return { kind: 'field', of: { kind: 'dot' }, name: token.text }
    if (token.kind === 'variable') return { kind: 'variable', slot: slotOf(this.#scope, token.text, this.#refuse) }
    if (token.text === '.') return { kind: 'dot' }
    if (token.text === '$') return { kind: 'root' }
    if (token.text !== '(') throw this.#refuse('an action lacks a value')
    this.#goDeeper()
    const value = this.#pipeline()
    if (!this.#cursor.isMark(')')) throw this.#refuse('a parenthesis is not closed')
    this.#cursor.next()
    return value
  }

  /** Running an action goes as deep into the stack as it has pipes and parentheses. */
  #goDeeper(): void {
    if (++this.#depth > DEEPEST) throw this.#refuse(`an action may have at most ${DEEPEST} pipes and parentheses`)
  }
}
