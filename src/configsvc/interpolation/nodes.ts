/**
 * The syntax tree of a template. `at` is where a node begins in the text.
 */

/** Lowest precedence first; those of a row are of one precedence and go from left to right. */
export const BINARY_OPERATORS = [['||'], ['&&'], ['==', '!='], ['<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%']] as const

export type BinaryOperator = (typeof BINARY_OPERATORS)[number][number]

/** An integer is a bigint, a float a number. */
export type Value = string | bigint | number | boolean

export interface Literal {
  readonly kind: 'literal'
  readonly at: number
  readonly value: Value
}

export interface Variable {
  readonly kind: 'variable'
  readonly at: number
  readonly name: string
}

/** What stands in the braces of a whole template or of a quoted string, and the text between. */
export interface Parts {
  readonly kind: 'parts'
  readonly at: number
  readonly parts: readonly Node[]
}

/** `a + b - c`: operators of one precedence, from left to right. */
export interface Chain {
  readonly kind: 'chain'
  readonly at: number
  readonly first: Node
  readonly rest: readonly { readonly operator: BinaryOperator; readonly operand: Node }[]
}

export interface Conditional {
  readonly kind: 'conditional'
  readonly at: number
  readonly condition: Node
  readonly yes: Node
  readonly no: Node
}

/** `name[key]`; `at` is that of the bracket. Nothing that a template knows has keys. */
export interface Index {
  readonly kind: 'index'
  readonly at: number
  readonly target: Variable
  readonly key: Node
}

/** Nothing that a template knows is a function. */
export interface Call {
  readonly kind: 'call'
  readonly at: number
  readonly name: string
}

export type Node = Literal | Variable | Parts | Chain | Conditional | Index | Call

export interface Template {
  readonly text: string
  readonly root: Parts
  /** What has to be known before anything is evaluated, arguments before the function that takes them. */
  readonly names: readonly (Variable | Call)[]
}

/** Characters of a template, and of what it gives. */
export const LONGEST_TEMPLATE = 4096

/** Braces, parentheses, signs and conditions in each other. */
export const DEEPEST_TEMPLATE = 32
