/**
 * What a template is made of.
 */
import type { ByteText } from './byte-text.ts'
import type { TemplateFunction } from './function.ts'

export type Node =
  | { readonly kind: 'text'; readonly text: ByteText }
  | { readonly kind: 'print'; readonly value: Expression }
  | { readonly kind: 'set'; readonly slot: number; readonly value: Expression }
  | Branch

/** `if` and `with`. */
export interface Branch {
  readonly kind: 'branch'
  readonly on: Expression
  /** The variable that holds what was decided by. */
  readonly slot: number | undefined
  /** Whether `.` stands for it in `then`. */
  readonly moves: boolean
  readonly then: readonly Node[]
  readonly otherwise: readonly Node[]
}

export type Expression =
  | { readonly kind: 'literal'; readonly value: ByteText | number | boolean }
  /** `.` */
  | { readonly kind: 'dot' }
  /** `$` */
  | { readonly kind: 'root' }
  | { readonly kind: 'variable'; readonly slot: number }
  | { readonly kind: 'field'; readonly of: Expression; readonly name: string }
  | Call

export interface Call {
  readonly kind: 'call'
  readonly function: TemplateFunction
  /** What was piped in is the last. */
  readonly operands: readonly Expression[]
}
