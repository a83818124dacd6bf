/** Parses the expressions in an action: values, calls and pipes. The grammar is that of Go's text/template. */
import type { KernelError } from '../base/errors.ts'
import type { TokenCursor } from './cursor.ts'
import type { TemplateFunction } from './function.ts'
import { FUNCTIONS } from './functions.ts'
import { MAX_BLOCK_DEPTH } from './limits.ts'
import type { NameTemplateExpression } from './nodes.ts'

type Refuse = (rule: string) => KernelError

/** The slot of the variable with this name. If several variables have the name, the last declaration counts. @throws KernelError 400 */
export function slotOfVariable(scope: readonly string[], name: string, refuse: Refuse): number {
  const slot = scope.lastIndexOf(name)
  if (slot < 0) throw refuse('an undeclared variable is used')
  return slot
}

/** The names that occur in a template, even in parts that a run does not evaluate. */
export interface NamedPipeline {
  readonly fields: Set<string>
  readonly functions: Set<string>
}

/** Parses commands that are connected by pipes. */
export class Pipelines {
  readonly #cursor: TokenCursor
  readonly #scope: readonly string[]
  readonly #refuse: Refuse
  readonly #named: NamedPipeline
  #depth = 0

  constructor(cursor: TokenCursor, scope: readonly string[], refuse: Refuse, named: NamedPipeline) {
    this.#named = named
    this.#cursor = cursor
    this.#scope = scope
    this.#refuse = refuse
  }

  /** Parses everything up to the end of the action. */
  whole(): NameTemplateExpression {
    const value = this.#pipeline()
    this.#cursor.finish()
    return value
  }

  #pipeline(): NameTemplateExpression {
    let value = this.#command()
    while (this.#cursor.isMark('|')) {
      this.#cursor.next()
      this.#goDeeper()
      if (this.#cursor.word === undefined) throw this.#refuse('a pipe must be followed by a function')
      value = this.#command(value)
    }
    return value
  }

  #command(piped?: NameTemplateExpression): NameTemplateExpression {
    const { word } = this.#cursor
    if (word === undefined) return this.#operand()
    this.#cursor.next()
    const operands: NameTemplateExpression[] = []
    while (this.#cursor.token && !this.#cursor.isMark('|') && !this.#cursor.isMark(')')) {
      if (!this.#cursor.token.spaced) throw this.#refuse('operands need white space between them')
      operands.push(this.#operand())
    }
    if (piped) operands.push(piped)
    return this.#call(word, operands)
  }

  #call(name: string, operands: readonly NameTemplateExpression[]): NameTemplateExpression {
    const called: TemplateFunction | undefined = FUNCTIONS.get(name)
    if (!called) throw this.#refuse('an unknown function is called')
    this.#named.functions.add(name)
    const { least, most } = called
    if (operands.length >= least && operands.length <= most) return { kind: 'call', function: called, operands }
    const number = least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
    throw this.#refuse(`${name} takes ${number} operands, including a piped one`)
  }

  /** Parses a value, or a field of a value. Fields are strings, so they have no fields of their own. */
  #operand(): NameTemplateExpression {
    const value = this.#term()
    const { token } = this.#cursor
    if (token?.kind !== 'field' || token.spaced) return value
    if (value.kind === 'field') throw this.#refuse('a field of a field is used, but does not exist: fields are strings')
    this.#cursor.next()
    this.#named.fields.add(token.text)
    return { kind: 'field', of: value, name: token.text }
  }

  #term(): NameTemplateExpression {
    const token = this.#cursor.next()
    if (!token) throw this.#refuse('a value is missing in an action')
    if (token.kind === 'literal') return { kind: 'literal', value: token.value }
    if (token.kind === 'word') return this.#call(token.text, [])
    if (token.kind === 'field') {
      this.#named.fields.add(token.text)
      return { kind: 'field', of: { kind: 'dot' }, name: token.text }
    }
    if (token.kind === 'variable') return { kind: 'variable', slot: slotOfVariable(this.#scope, token.text, this.#refuse) }
    if (token.text === '.') return { kind: 'dot' }
    if (token.text === '$') return { kind: 'root' }
    if (token.text !== '(') throw this.#refuse('a value is missing in an action')
    this.#goDeeper()
    const value = this.#pipeline()
    if (!this.#cursor.isMark(')')) throw this.#refuse('a parenthesis is not closed')
    this.#cursor.next()
    return value
  }

  /** At run time, each pipe and each parenthesis takes one level of recursion. */
  #goDeeper(): void {
    if (++this.#depth > MAX_BLOCK_DEPTH) throw this.#refuse(`an action may have at most ${MAX_BLOCK_DEPTH} pipes and parentheses`)
  }
}
