/** The syntax tree of a template. */
import type { ByteText } from './byte-text.ts'
import type { TemplateFunction } from './function.ts'

export type NameTemplateNode =
  | { readonly kind: 'text'; readonly text: ByteText }
  | { readonly kind: 'print'; readonly value: NameTemplateExpression }
  | { readonly kind: 'set'; readonly slot: number; readonly value: NameTemplateExpression }
  | NameTemplateBranch

/** An `if` or `with` block. */
export interface NameTemplateBranch {
  readonly kind: 'branch'
  readonly on: NameTemplateExpression
  /**
   * The slot of the variable that the block declares, as in `if $x := .Field`. The run stores the value of the condition in this slot.
   * Undefined if the block declares no variable.
   */
  readonly slot: number | undefined
  /** Whether `.` inside `then` is the value of the condition. True for `with`, false for `if`. */
  readonly moves: boolean
  readonly then: readonly NameTemplateNode[]
  readonly otherwise: readonly NameTemplateNode[]
}

export type NameTemplateExpression =
  | { readonly kind: 'literal'; readonly value: ByteText | number | boolean }
  /** The value `.`. */
  | { readonly kind: 'dot' }
  /** The value `$`. */
  | { readonly kind: 'root' }
  | { readonly kind: 'variable'; readonly slot: number }
  | { readonly kind: 'field'; readonly of: NameTemplateExpression; readonly name: string }
  | NameTemplateCall

export interface NameTemplateCall {
  readonly kind: 'call'
  readonly function: TemplateFunction
  /** The operands in order. If a value is piped into the call, that value is the last operand. */
  readonly operands: readonly NameTemplateExpression[]
}
