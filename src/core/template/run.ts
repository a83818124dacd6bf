import type { Entropy } from '../base/entropy.ts'
import { invalid, type KernelError } from '../base/errors.ts'
import { byteTextOf, decodeByteText } from './byte-text.ts'
import { type ArgumentKind, isTrue, type NameTemplateValue, printed, type TemplateFields, type TemplateRun } from './function.ts'
import { MAX_TEMPLATE_WORK, MAX_TEXT_BYTES, WORK_PER_CALL } from './limits.ts'
import type { NameTemplateCall, NameTemplateExpression, NameTemplateNode } from './nodes.ts'
import type { ParsedTemplate } from './parse.ts'

export interface TemplateInput {
  readonly fields: TemplateFields
  /** The current time in milliseconds since the epoch. */
  readonly now: number
  readonly entropy: Entropy
}

/** @throws KernelError 400. The message contains the name of the parameter. */
export function runTemplate(template: ParsedTemplate, parameter: string, input: TemplateInput): string {
  const text = decodeByteText(new Runner(parameter, template.slots, input).nodes(template.nodes))
  if (text === undefined) throw invalid(`${parameter}: the template must produce UTF-8 text`)
  return text
}

class Runner implements TemplateRun {
  readonly parameter: string
  readonly now: number
  readonly entropy: Entropy
  readonly #root: TemplateFields
  #dot: NameTemplateValue
  readonly #variables: NameTemplateValue[]
  #work = MAX_TEMPLATE_WORK

  constructor(parameter: string, slots: number, { fields, now, entropy }: TemplateInput) {
    this.parameter = parameter
    this.now = now
    this.entropy = entropy
    this.#root = fields
    this.#dot = fields
    this.#variables = new Array<NameTemplateValue>(slots).fill('')
  }

  refuse(rule: string): KernelError {
    return invalid(`${this.parameter}: ${rule}`)
  }

  spend(units: number): void {
    this.#work -= units
    if (this.#work < 0) throw this.refuse('evaluating the template takes too much work')
  }

  checkLength(bytes: number): void {
    if (bytes > MAX_TEXT_BYTES) throw this.refuse(`the template produces more than ${MAX_TEXT_BYTES} bytes`)
  }

  nodes(nodes: readonly NameTemplateNode[]): string {
    let text = ''
    for (const node of nodes) {
      text += this.#node(node)
      this.checkLength(text.length)
    }
    return text
  }

  #node(node: NameTemplateNode): string {
    if (node.kind === 'text') return node.text
    if (node.kind === 'print') return printed(this, this.#value(node.value))
    if (node.kind === 'set') {
      this.#variables[node.slot] = this.#value(node.value)
      return ''
    }
    const value = this.#value(node.on)
    if (node.slot !== undefined) this.#variables[node.slot] = value
    if (!isTrue(value)) return this.nodes(node.otherwise)
    if (!node.moves) return this.nodes(node.then)
    const outer = this.#dot
    this.#dot = value
    const text = this.nodes(node.then)
    this.#dot = outer
    return text
  }

  #value(expression: NameTemplateExpression): NameTemplateValue {
    switch (expression.kind) {
      case 'literal':
        return expression.value
      case 'dot':
        return this.#dot
      case 'root':
        return this.#root
      case 'variable':
        return this.#variables[expression.slot] as NameTemplateValue
      case 'field':
        return this.#field(this.#value(expression.of), expression.name)
      case 'call':
        return this.#call(expression)
    }
  }

  #field(of: NameTemplateValue, name: string): NameTemplateValue {
    if (typeof of !== 'object' || !Object.hasOwn(of, name)) throw this.refuse('a field that does not exist is used')
    const text = of[name] as string
    this.spend(text.length)
    return byteTextOf(text)
  }

  #call({ function: { run, takes, endsAt }, operands }: NameTemplateCall): NameTemplateValue {
    this.spend(WORK_PER_CALL)
    const values: NameTemplateValue[] = []
    for (const [index, operand] of operands.entries()) {
      const value = this.#value(operand)
      if (endsAt !== undefined && isTrue(value) === endsAt) return value
      this.#check(value, takes[Math.min(index, takes.length - 1)] ?? 'any')
      this.spend(sizeOf(value))
      values.push(value)
    }
    const result = run(this, ...(values as never[]))
    this.spend(sizeOf(result))
    this.checkLength(sizeOf(result))
    return result
  }

  #check(value: NameTemplateValue, kind: ArgumentKind): void {
    if (kind === 'text' && typeof value !== 'string') throw this.refuse('a function requires a text operand')
    if (kind === 'number' && typeof value !== 'number') throw this.refuse('a function requires a number operand')
  }
}

const sizeOf = (value: NameTemplateValue): number => (typeof value === 'string' ? value.length : 0)
