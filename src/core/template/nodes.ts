/** The syntax tree of a template. */
import type { ByteText } from './byte-text.ts'
import type { TemplateFunction } from './function.ts'

export type NameTemplateNode =
  | { readonly kind: 'text'; readonly text: ByteText }
  | { readonly kind: 'print'; readonly value: NameTemplateExpression }
  | { readonly kind: 'set'; readonly slot: number; readonly value: NameTemplateExpression }
  | NameTemplateBranch

/** An `if` or `with`. */
export interface NameTemplateBranch {
  readonly kind: 'branch'
  readonly on: NameTemplateExpression
  /** The variable that receives the condition's value. */
  readonly slot: number | undefined
  /** Whether `.` has the condition's value inside `then` (for `with`). */
  readonly moves: boolean
  readonly then: readonly NameTemplateNode[]
  readonly otherwise: readonly NameTemplateNode[]
}

export type NameTemplateExpression =
  | { readonly kind: 'literal'; readonly value: ByteText | number | boolean }
  /** `.` */
  | { readonly kind: 'dot' }
  /** `$` */
  | { readonly kind: 'root' }
  | { readonly kind: 'variable'; readonly slot: number }
  | { readonly kind: 'field'; readonly of: NameTemplateExpression; readonly name: string }
  | NameTemplateCall

export interface NameTemplateCall {
  readonly kind: 'call'
  readonly function: TemplateFunction
  /** A piped value is the last operand. */
  readonly operands: readonly NameTemplateExpression[]
}
