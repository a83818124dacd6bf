/**
 * The syntax tree of an expression, as selectors of binding rules and filters of lists have it.
 */

/** The operators by the names that refusals give them. `contains` is `In` with its sides changed. */
export type Operator = 'Equal' | 'Not Equal' | 'In' | 'Not In' | 'Matches' | 'Not Matches' | 'Is Empty' | 'Is Not Empty'

export interface Comparison {
  readonly kind: 'comparison'
  /** The names on the way to a value; never empty. */
  readonly selector: readonly string[]
  readonly operator: Operator
  /** As it stands in the text, without quotes; undefined with `Is Empty` and `Is Not Empty`. */
  readonly value: string | undefined
  /** Where the comparison begins in the text. */
  readonly at: number
}

export interface Negation {
  readonly kind: 'not'
  /** Never a negation: two of them are none. */
  readonly operand: Comparison | LogicalChain
}

/** Two terms or more. */
export interface LogicalChain {
  readonly kind: 'and' | 'or'
  readonly terms: readonly ExpressionTerm[]
}

export type ExpressionTerm = Comparison | Negation | LogicalChain

export interface FilterExpression {
  /** What was parsed. */
  readonly text: string
  readonly root: ExpressionTerm
}

/** Characters of an expression. */
export const MAX_EXPRESSION_CHARACTERS = 16_384

/** Parentheses and negations in each other. */
export const MAX_EXPRESSION_DEPTH = 64
