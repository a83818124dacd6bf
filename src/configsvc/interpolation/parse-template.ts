/** Parses templates in the grammar of HIL, the interpolation language that Consul uses. */
import { invalid } from '../../core/base/errors.ts'
import {
  BINARY_OPERATORS,
  type BinaryOperator,
  type FunctionCall,
  MAX_NAME_TEMPLATE_CHARACTERS,
  type NameTemplate,
  type OperatorChain,
  type TemplateNode,
  type TemplateParts,
  type VariableNode,
} from './nodes.ts'
import { TemplateScanner } from './scanner.ts'

/** @throws KernelError 400 if the template is too long, or if its syntax is wrong; the message then has the position as `line:column` */
export function parseNameTemplate(text: string): NameTemplate {
  if (typeof text !== 'string') throw new TypeError('template: must be a string')
  if (text.length > MAX_NAME_TEMPLATE_CHARACTERS)
    throw invalid(`template: must have at most ${MAX_NAME_TEMPLATE_CHARACTERS} characters`)
  const parser = new TemplateParser(text)
  return { text, root: parser.parts(false), names: parser.names }
}

class TemplateParser {
  readonly names: (VariableNode | FunctionCall)[] = []
  readonly #scanner: TemplateScanner

  constructor(text: string) {
    this.#scanner = new TemplateScanner(text)
  }

  /** Parses the whole template or, if `quoted`, the content of a quoted string up to the closing quote. */
  parts(quoted: boolean): TemplateParts {
    const scanner = this.#scanner
    const start = scanner.at
    const parts: TemplateNode[] = []
    for (;;) {
      const { at } = scanner
      const value = scanner.literal(quoted)
      if (value !== '') parts.push({ kind: 'literal', at, value })
      if (!scanner.text.startsWith('${', scanner.at)) return { kind: 'parts', at: start, parts }
      scanner.at += 2
      parts.push(this.#nested())
      scanner.expect('}')
    }
  }

  #nested(): TemplateNode {
    return this.#scanner.nested(() => this.#expression())
  }

  #expression(): TemplateNode {
    const condition = this.#chain(0)
    if (!this.#scanner.take('?')) return condition
    const yes = this.#nested()
    this.#scanner.expect(':')
    return { kind: 'conditional', at: condition.at, condition, yes, no: this.#nested() }
  }

  #chain(level: number): TemplateNode {
    const operators: readonly BinaryOperator[] | undefined = BINARY_OPERATORS[level]
    if (!operators) return this.#term()
    const first = this.#chain(level + 1)
    const rest: OperatorChain['rest'][number][] = []
    for (;;) {
      const operator = operators.find((sign) => this.#scanner.take(sign))
      if (operator === undefined) return rest.length === 0 ? first : { kind: 'chain', at: first.at, first, rest }
      rest.push({ operator, operand: this.#chain(level + 1) })
    }
  }

  #term(): TemplateNode {
    const scanner = this.#scanner
    const { kind, text, at } = scanner.peek()
    if (kind === 'name') return this.#named()
    if (kind === 'number') return { kind: 'literal', at, value: this.#number() }
    if (scanner.take('(')) {
      const inner = this.#nested()
      scanner.expect(')')
      return inner
    }
    if (text === '"') return this.#quoted()
    // As in HIL, `-x` is `0 - x` and `!x` is `false == x`.
    if (scanner.take('-')) return this.#signed(at, 0n, '-')
    if (scanner.take('!')) return this.#signed(at, false, '==')
    throw scanner.unexpected('expression')
  }

  #signed(at: number, value: bigint | boolean, operator: BinaryOperator): TemplateNode {
    const operand = this.#scanner.nested(() => this.#term())
    return { kind: 'chain', at, first: { kind: 'literal', at, value }, rest: [{ operator, operand }] }
  }

  #number(): bigint | number {
    const { text, at } = this.#scanner.next()
    const value = /^\d+$/.test(text) ? BigInt(text) : Number(text)
    if (typeof value === 'number' ? Number.isFinite(value) : value < 2n ** 63n) return value
    throw this.#scanner.refuse('the number is out of range', at)
  }

  #quoted(): TemplateNode {
    const scanner = this.#scanner
    scanner.next()
    const parts = scanner.nested(() => this.parts(true))
    if (scanner.text[scanner.at] !== '"') throw scanner.unexpected('"\\""')
    scanner.at++
    return parts
  }

  /** Parses a variable, a variable with an index, a function call, `true` or `false`. */
  #named(): TemplateNode {
    const scanner = this.#scanner
    const { text: name, at } = scanner.next()
    if (name === 'true' || name === 'false') return { kind: 'literal', at, value: name === 'true' }
    if (scanner.take('(')) {
      this.#arguments()
      const call: FunctionCall = { kind: 'call', at, name }
      this.names.push(call)
      return call
    }
    const variable: VariableNode = { kind: 'variable', at, name }
    this.names.push(variable)
    const bracket = scanner.peek().at
    if (!scanner.take('[')) return variable
    const key = this.#nested()
    scanner.expect(']')
    return { kind: 'index', at: bracket, target: variable, key }
  }

  /** Templates have no functions, so the call fails later. The arguments are parsed only to report syntax errors. */
  #arguments(): void {
    const scanner = this.#scanner
    if (scanner.take(')')) return
    do this.#nested()
    while (scanner.take(','))
    scanner.expect(')')
  }
}
