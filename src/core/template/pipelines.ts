/**
 * What is computed within an action: values, calls, pipes (source: the grammar of Go's text/template).
 */
import type { KernelError } from '../base/errors.ts'
import type { TokenCursor } from './cursor.ts'
import type { TemplateFunction } from './function.ts'
import { FUNCTIONS } from './functions.ts'
import { MAX_BLOCK_DEPTH } from './limits.ts'
import type { NameTemplateExpression } from './nodes.ts'

type Refuse = (rule: string) => KernelError

/** The variable declared last under a name. @throws KernelError 400 */
export function slotOfVariable(scope: readonly string[], name: string, refuse: Refuse): number {
  const slot = scope.lastIndexOf(name)
  if (slot < 0) throw refuse('a variable is used that was not declared')
  return slot
}

/** What a template names, whether or not a run comes by it. */
export interface NamedPipeline {
  readonly fields: Set<string>
  readonly functions: Set<string>
}

/** Expressions: commands with pipes between them. */
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

  /** The rest of the action. */
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
      if (this.#cursor.word === undefined) throw this.#refuse('what stands behind a pipe must be a function')
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
    if (!called) throw this.#refuse('a function is called that is not known')
    this.#named.functions.add(name)
    const { least, most } = called
    if (operands.length >= least && operands.length <= most) return { kind: 'call', function: called, operands }
    const number = least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`
    throw this.#refuse(`${name} takes ${number} operands, what is piped in included`)
  }

  /** A value, or a field of it. Fields are texts and have none of their own. */
  #operand(): NameTemplateExpression {
    const value = this.#term()
    const { token } = this.#cursor
    if (token?.kind !== 'field' || token.spaced) return value
    if (value.kind === 'field') throw this.#refuse('a field is named that does not exist')
    this.#cursor.next()
    this.#named.fields.add(token.text)
    return { kind: 'field', of: value, name: token.text }
  }

  #term(): NameTemplateExpression {
    const token = this.#cursor.next()
    if (!token) throw this.#refuse('an action lacks a value')
    if (token.kind === 'literal') return { kind: 'literal', value: token.value }
    if (token.kind === 'word') return this.#call(token.text, [])
    if (token.kind === 'field') {
      this.#named.fields.add(token.text)
      return { kind: 'field', of: { kind: 'dot' }, name: token.text }
    }
    if (token.kind === 'variable') return { kind: 'variable', slot: slotOfVariable(this.#scope, token.text, this.#refuse) }
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
    if (++this.#depth > MAX_BLOCK_DEPTH) throw this.#refuse(`an action may have at most ${MAX_BLOCK_DEPTH} pipes and parentheses`)
  }
}
