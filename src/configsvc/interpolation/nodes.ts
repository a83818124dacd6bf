/** The syntax tree of a template. `at` is the offset of a node in the template. */

/** Operators by precedence, the lowest first. Operators in the same inner list have the same precedence and are left-associative. */
export const BINARY_OPERATORS = [['||'], ['&&'], ['==', '!='], ['<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%']] as const

export type BinaryOperator = (typeof BINARY_OPERATORS)[number][number]

/** An integer is represented by a bigint, a float by a number. */
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

/** The literal parts and the `${...}` expressions of a template or of a quoted string. */
export interface TemplateParts {
  readonly kind: 'parts'
  readonly at: number
  readonly parts: readonly TemplateNode[]
}

/** `a + b - c`: operators of the same precedence, evaluated from left to right. */
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
  /**
   * All variables and function calls of the template. The first unknown one is reported before anything is evaluated. The variables in the
   * arguments of a call precede the call.
   */
  readonly names: readonly (VariableNode | FunctionCall)[]
}

/** The maximum number of characters of a template, and of its result. */
export const MAX_NAME_TEMPLATE_CHARACTERS = 4096

/** The maximum number of nested braces, parentheses, signs and conditions. */
export const MAX_NAME_TEMPLATE_DEPTH = 32
