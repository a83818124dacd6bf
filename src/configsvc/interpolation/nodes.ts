/** The syntax tree of a template. `at` is the offset of a node in the text. */

/** Lowest precedence first. Operators of one row have the same precedence and are left-associative. */
export const BINARY_OPERATORS = [['||'], ['&&'], ['==', '!='], ['<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%']] as const

export type BinaryOperator = (typeof BINARY_OPERATORS)[number][number]

/** An integer is a bigint, a float a number. */
export type TemplateValue = string | bigint | number | boolean

export interface Literal {
  readonly kind: 'literal'
  readonly at: number
  readonly value: TemplateValue
}

export interface VariableNode {
  readonly kind: 'variable'
  readonly at: number
  readonly name: string
}

/** The literal texts and `${...}` expressions of a template or of a quoted string. */
export interface TemplateParts {
  readonly kind: 'parts'
  readonly at: number
  readonly parts: readonly TemplateNode[]
}

/** `a + b - c`: operators of one precedence, evaluated from left to right. */
export interface OperatorChain {
  readonly kind: 'chain'
  readonly at: number
  readonly first: TemplateNode
  readonly rest: readonly { readonly operator: BinaryOperator; readonly operand: TemplateNode }[]
}

export interface Conditional {
  readonly kind: 'conditional'
  readonly at: number
  readonly condition: TemplateNode
  readonly yes: TemplateNode
  readonly no: TemplateNode
}

/** `name[key]`; `at` is the offset of the bracket. Evaluation always fails, because no variable has keys. */
export interface IndexNode {
  readonly kind: 'index'
  readonly at: number
  readonly target: VariableNode
  readonly key: TemplateNode
}

/** Evaluation always fails, because templates have no functions. */
export interface FunctionCall {
  readonly kind: 'call'
  readonly at: number
  readonly name: string
}

export type TemplateNode = Literal | VariableNode | TemplateParts | OperatorChain | Conditional | IndexNode | FunctionCall

export interface NameTemplate {
  readonly text: string
  readonly root: TemplateParts
  /** Names that must exist before anything is evaluated; arguments come before their function. */
  readonly names: readonly (VariableNode | FunctionCall)[]
}

/** The most characters of a template and of its result. */
export const MAX_NAME_TEMPLATE_CHARACTERS = 4096

/** The most levels of braces, parentheses, signs and conditions. */
export const MAX_NAME_TEMPLATE_DEPTH = 32
