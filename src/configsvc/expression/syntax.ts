/** The syntax tree of an expression. */

/** The operators by their names in error messages. `contains` is `In` with the operands swapped. */
export type Operator = 'Equal' | 'Not Equal' | 'In' | 'Not In' | 'Matches' | 'Not Matches' | 'Is Empty' | 'Is Not Empty'

export interface Comparison {
  readonly kind: 'comparison'
  /** The names on the path to the value; never empty. */
  readonly selector: readonly string[]
  readonly operator: Operator
  /** The value as written, without quotes; undefined with `Is Empty` and `Is Not Empty`. */
  readonly value: string | undefined
  /** The offset of the comparison in the expression. */
  readonly at: number
}

export interface Negation {
  readonly kind: 'not'
  /** Never a negation: the parser removes double negations. */
  readonly operand: Comparison | LogicalChain
}

/** At least two terms. */
export interface LogicalChain {
  readonly kind: 'and' | 'or'
  readonly terms: readonly ExpressionTerm[]
}

export type ExpressionTerm = Comparison | Negation | LogicalChain

export interface FilterExpression {
  /** The source text. */
  readonly text: string
  readonly root: ExpressionTerm
}

export const MAX_EXPRESSION_CHARACTERS = 16_384

/** The maximum number of nested parentheses and negations. */
export const MAX_EXPRESSION_DEPTH = 64
