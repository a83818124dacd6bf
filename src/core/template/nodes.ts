/**
 * What a template is made of.
 */
import type { ByteText } from './byte-text.ts'
import type { TemplateFunction } from './function.ts'

export type NameTemplateNode =
  | { readonly kind: 'text'; readonly text: ByteText }
  | { readonly kind: 'print'; readonly value: NameTemplateExpression }
  | { readonly kind: 'set'; readonly slot: number; readonly value: NameTemplateExpression }
  | NameTemplateBranch

/** `if` and `with`. */
export interface NameTemplateBranch {
  readonly kind: 'branch'
  readonly on: NameTemplateExpression
  /** The variable that holds what was decided by. */
  readonly slot: number | undefined
  /** Whether `.` stands for it in `then`. */
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
  /** What was piped in is the last. */
  readonly operands: readonly NameTemplateExpression[]
}
