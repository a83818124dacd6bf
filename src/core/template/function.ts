/** The values and functions of templates. */
import type { Entropy } from '../base/entropy.ts'
import type { KernelError } from '../base/errors.ts'
import type { ByteText } from './byte-text.ts'

/** The fields that a template can use: strings by name. */
export type TemplateFields = Readonly<Record<string, string>>

/** A value in a template. Outside of `with` blocks, the value of `.` is a `TemplateFields` object. */
export type NameTemplateValue = ByteText | number | boolean | TemplateFields

/** The members of a run that the functions of a template can use. */
export interface TemplateRun {
  /** The name of the parameter that contains the template, for error messages. */
  readonly parameter: string
  /** The current time in milliseconds since the epoch. */
  readonly now: number
  readonly entropy: Entropy
  /** Creates an error that contains the name of the parameter and the broken rule. */
  refuse(rule: string): KernelError
  /** Uses up work units of the run. Reading a byte takes about one unit. @throws KernelError 400 if too few units are left. */
  spend(units: number): void
  /** Checks the length of a string before the string is created. @throws KernelError 400 if the string would be too long. */
  checkLength(bytes: number): void
}

export interface TemplateFunction {
  readonly least: number
  /** The maximum number of operands. */
  readonly most: number
  readonly run: (run: TemplateRun, ...operands: readonly never[]) => NameTemplateValue
  /** The kinds of the operands in order. The last kind also applies to all further operands. */
  readonly takes: readonly ArgumentKind[]
  /**
   * For `and` and `or`: the truth value that ends the evaluation. The first operand with this truth value is the result, and the operands
   * after it are not evaluated.
   */
  readonly endsAt?: boolean
}

export type ArgumentKind = 'text' | 'number' | 'any'

/** A function with a fixed number of operands. */
export const fixed = (takes: readonly ArgumentKind[], run: TemplateFunction['run']): TemplateFunction => ({
  least: takes.length,
  most: takes.length,
  takes,
  run,
})

/** The truth value of a value. As in Go, an empty string and zero are false. */
export const isTrue = (value: NameTemplateValue): boolean => (typeof value === 'object' ? true : Boolean(value))

/**
 * Returns the value as it appears in the output. @throws KernelError 400 for a `TemplateFields` object, because only single fields can be
 * written.
 */
export function printed(run: TemplateRun, value: NameTemplateValue): ByteText {
  if (typeof value === 'object') throw run.refuse('fields can only be written one at a time, such as {{.RoleName}}')
  return String(value)
}
