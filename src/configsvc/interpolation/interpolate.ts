/** Evaluates templates of names in binding rules. As in Consul, both branches of a condition are evaluated. */
import { invalid, type KernelError } from '../../core/base/errors.ts'
import { foldName } from '../../core/base/fold-name.ts'
import { lineAndColumn } from '../expression/position.ts'
import { convert, type ValueType, valueTypeOf } from './convert.ts'
import {
  type BinaryOperator,
  type Conditional,
  MAX_NAME_TEMPLATE_CHARACTERS,
  type NameTemplate,
  type TemplateNode,
  type TemplateValue,
} from './nodes.ts'
import { compareNumbers, computeNumbers } from './operate.ts'
import { parseNameTemplate } from './parse-template.ts'

/** The value of every variable when a template is validated without a login. Valid names of every kind can contain this word. */
const PLACEHOLDER_VALUE = 'fake'

/**
 * Replaces the variables, whose values are put in lower case. A template without `${` is returned unchanged.
 * @throws KernelError 400 for an invalid template and for an unknown variable
 */
export const interpolateName = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.includes('${') ? evaluateTemplate(parseNameTemplate(text), variables) : text

/**
 * Returns the name that the template produces if the value of every variable is {@link PLACEHOLDER_VALUE}. If this name is invalid, the
 * template is invalid too.
 * @param names The variables that the template may use.
 */
export const checkNameTemplate = (text: string, names: readonly string[]): string =>
  interpolateName(text, Object.fromEntries(names.map((name) => [name, PLACEHOLDER_VALUE])))

function evaluateTemplate(template: NameTemplate, variables: Readonly<Record<string, string>>): string {
  const unknown = template.names.find(({ kind, name }) => kind === 'call' || !Object.hasOwn(variables, name))
  if (unknown) {
    const what = unknown.kind === 'call' ? 'function called' : 'variable accessed'
    throw invalid(`${lineAndColumn(template.text, unknown.at)}: unknown ${what}: ${unknown.name}`)
  }
  return new Evaluation(template.text, variables).text(template.root)
}

class Evaluation {
  readonly #text: string
  readonly #variables: Readonly<Record<string, string>>
  readonly #lowered = new Map<string, string>()

  constructor(text: string, variables: Readonly<Record<string, string>>) {
    this.#text = text
    this.#variables = variables
  }

  text(node: TemplateNode): string {
    return this.#as('TypeString', this.#value(node), node, '') as string
  }

  #refuse(node: TemplateNode, rule: string): KernelError {
    const [line, column] = lineAndColumn(this.#text, node.at).split(':')
    return invalid(`At column ${column}, line ${line}: ${rule}`)
  }

  #value(node: TemplateNode): TemplateValue {
    switch (node.kind) {
      case 'literal':
        return node.value
      case 'variable':
        return this.#variable(node.name)
      case 'parts':
        return this.#joined(node.parts, node)
      case 'chain':
        return node.rest.reduce(
          (left, { operator, operand }) => this.#operate(operator, left, this.#value(operand), node),
          this.#value(node.first),
        )
      case 'conditional':
        return this.#chosen(node)
      case 'index':
        throw this.#refuse(node, `invalid index operation into non-indexable type: ${valueTypeOf('')}`)
      case 'call':
        throw this.#refuse(node, `unknown function called: ${node.name}`)
      default:
        return node satisfies never
    }
  }

  #variable(name: string): string {
    const known = this.#lowered.get(name)
    if (known !== undefined) return known
    const value = this.#variables[name] as string
    if (value.length > MAX_NAME_TEMPLATE_CHARACTERS)
      throw invalid(`the value of the variable ${name} must have at most ${MAX_NAME_TEMPLATE_CHARACTERS} characters`)
    const lowered = foldName(value)
    this.#lowered.set(name, lowered)
    return lowered
  }

  #joined(parts: readonly TemplateNode[], node: TemplateNode): string {
    let text = ''
    for (const part of parts) {
      text += this.text(part)
      if (text.length > MAX_NAME_TEMPLATE_CHARACTERS)
        throw this.#refuse(node, `the text that a template produces must have at most ${MAX_NAME_TEMPLATE_CHARACTERS} characters`)
    }
    return text
  }

  /** @param rule The error message if the types are not convertible. */
  #as(type: ValueType, value: TemplateValue, node: TemplateNode, rule: string): TemplateValue {
    const converted = convert(value, type)
    if (!converted) throw this.#refuse(node, rule)
    if ('refused' in converted) throw this.#refuse(node, converted.refused)
    return converted.value
  }

  #operate(operator: BinaryOperator, left: TemplateValue, right: TemplateValue, node: TemplateNode): TemplateValue {
    const both = (type: ValueType): [TemplateValue, TemplateValue] => [
      this.#as(type, left, node, `operand 1 should be ${type}, got ${valueTypeOf(left)}`),
      this.#as(type, right, node, `operand 2 should be ${type}, got ${valueTypeOf(right)}`),
    ]
    switch (operator) {
      case '&&':
      case '||': {
        const [a, b] = both('TypeBool')
        return operator === '&&' ? a === true && b === true : a === true || b === true
      }
      case '==':
      case '!=': {
        const [a, b] = both(valueTypeOf(left))
        return (a === b) === (operator === '==')
      }
    }
    const numeric: ValueType = typeof left === 'number' || typeof right === 'number' ? 'TypeFloat' : 'TypeInt'
    const [a, b] = both(numeric) as [bigint, bigint] | [number, number]
    if (operator === '<' || operator === '<=' || operator === '>' || operator === '>=') return compareNumbers(operator, a, b)
    const result = computeNumbers(operator, a, b)
    if (typeof result === 'object') throw this.#refuse(node, result.refused)
    return result
  }

  /** As in Consul, the result has the type of the first branch, or that of the second branch if the first is a string. */
  #chosen(node: Conditional): TemplateValue {
    const condition = this.#value(node.condition)
    const holds = this.#as('TypeBool', condition, node, `condition must be type bool, not ${valueTypeOf(condition)}`)
    const yes = this.#value(node.yes)
    const no = this.#value(node.no)
    const type = valueTypeOf(typeof yes === 'string' ? no : yes)
    const rule = `true and false expression types must match; have ${valueTypeOf(yes)} and ${valueTypeOf(no)}`
    const both = [this.#as(type, yes, node.yes, rule), this.#as(type, no, node.no, rule)] as const
    return holds === true ? both[0] : both[1]
  }
}
