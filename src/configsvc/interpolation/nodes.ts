/**
 * The syntax tree of a template. `at` is where a node begins in the text.
 */

/** Lowest precedence first; those of a row are of one precedence and go from left to right. */
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

/** What stands in the braces of a whole template or of a quoted string, and the text between. */
export interface TemplateParts {
  readonly kind: 'parts'
  readonly at: number
  readonly parts: readonly TemplateNode[]
}

/** `a + b - c`: operators of one precedence, from left to right. */
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

/** `name[key]`; `at` is that of the bracket. Nothing that a template knows has keys. */
export interface IndexNode {
  readonly kind: 'index'
  readonly at: number
  readonly target: VariableNode
  readonly key: TemplateNode
}

/** Nothing that a template knows is a function. */
export interface FunctionCall {
  readonly kind: 'call'
  readonly at: number
  readonly name: string
}

export type TemplateNode = Literal | VariableNode | TemplateParts | OperatorChain | Conditional | IndexNode | FunctionCall

export interface NameTemplate {
  readonly text: string
  readonly root: TemplateParts
  /** What has to be known before anything is evaluated, arguments before the function that takes them. */
  readonly names: readonly (VariableNode | FunctionCall)[]
}

/** Characters of a template, and of what it gives. */
export const MAX_NAME_TEMPLATE_CHARACTERS = 4096

/** Braces, parentheses, signs and conditions in each other. */
export const MAX_NAME_TEMPLATE_DEPTH = 32
