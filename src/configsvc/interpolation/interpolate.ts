/**
 * Texts with variables: names in binding rules. All of a template is evaluated, whatever a condition says, as the originals do.
 */
import { invalid, type KernelError } from '../../core/base/errors.ts'
import { foldName } from '../../core/base/fold-name.ts'
import { lineAndColumn } from '../expression/position.ts'
import { convert, type Type, typeOf } from './convert.ts'
import { type BinaryOperator, type Conditional, LONGEST_TEMPLATE, type Node, type Template, type Value } from './nodes.ts'
import { compare, compute } from './operate.ts'
import { parseTemplate } from './parse-template.ts'

/** What variables are when a text is checked before there are any: a part of every name that is valid. */
const FAKE = 'fake'

/**
 * The text with its variables put in, in lower case. One without `${` is taken as it is.
 * @throws KernelError 400 for what is no template, and for a variable that is unknown
 */
export const interpolate = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.includes('${') ? evaluateTemplate(parseTemplate(text), variables) : text

/** What {@link interpolate} gives where each of the variables is a valid part of a name. */
export const checkTemplate = (text: string, names: readonly string[]): string =>
  interpolate(text, Object.fromEntries(names.map((name) => [name, FAKE])))

function evaluateTemplate(template: Template, variables: Readonly<Record<string, string>>): string {
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

  text(node: Node): string {
    return this.#as('TypeString', this.#value(node), node, '') as string
  }

  #refuse(node: Node, rule: string): KernelError {
    const [line, column] = lineAndColumn(this.#text, node.at).split(':')
    return invalid(`At column ${column}, line ${line}: ${rule}`)
  }

  #value(node: Node): Value {
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
        throw this.#refuse(node, `invalid index operation into non-indexable type: ${typeOf('')}`)
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
    if (value.length > LONGEST_TEMPLATE) throw invalid(`the variable ${name} has more than ${LONGEST_TEMPLATE} characters`)
    const lowered = foldName(value)
    this.#lowered.set(name, lowered)
    return lowered
  }

  #joined(parts: readonly Node[], node: Node): string {
    let text = ''
    for (const part of parts) {
      text += this.text(part)
      if (text.length > LONGEST_TEMPLATE) throw this.#refuse(node, `a text has at most ${LONGEST_TEMPLATE} characters`)
    }
    return text
  }

  /** @param rule what is broken where there is no conversion */
  #as(type: Type, value: Value, node: Node, rule: string): Value {
    const converted = convert(value, type)
    if (!converted) throw this.#refuse(node, rule)
    if ('refused' in converted) throw this.#refuse(node, converted.refused)
    return converted.value
  }

  #operate(operator: BinaryOperator, left: Value, right: Value, node: Node): Value {
    const both = (type: Type): [Value, Value] => [
      this.#as(type, left, node, `operand 1 should be ${type}, got ${typeOf(left)}`),
      this.#as(type, right, node, `operand 2 should be ${type}, got ${typeOf(right)}`),
    ]
    switch (operator) {
      case '&&':
      case '||': {
        const [a, b] = both('TypeBool')
        return operator === '&&' ? a === true && b === true : a === true || b === true
      }
      case '==':
      case '!=': {
        const [a, b] = both(typeOf(left))
        return (a === b) === (operator === '==')
      }
    }
    const numeric: Type = typeof left === 'number' || typeof right === 'number' ? 'TypeFloat' : 'TypeInt'
    const [a, b] = both(numeric) as [bigint, bigint] | [number, number]
    if (operator === '<' || operator === '<=' || operator === '>' || operator === '>=') return compare(operator, a, b)
    const result = compute(operator, a, b)
    if (typeof result === 'object') throw this.#refuse(node, result.refused)
    return result
  }

  /** The type is that of the first of both, or of the second where the first is a text. */
  #chosen(node: Conditional): Value {
    const condition = this.#value(node.condition)
    const holds = this.#as('TypeBool', condition, node, `condition must be type bool, not ${typeOf(condition)}`)
    const yes = this.#value(node.yes)
    const no = this.#value(node.no)
    const type = typeOf(typeof yes === 'string' ? no : yes)
    const rule = `true and false expression types must match; have ${typeOf(yes)} and ${typeOf(no)}`
    const both = [this.#as(type, yes, node.yes, rule), this.#as(type, no, node.no, rule)] as const
    return holds === true ? both[0] : both[1]
  }
}
