/** The values and functions of templates. */
import type { Entropy } from '../base/entropy.ts'
import type { KernelError } from '../base/errors.ts'
import type { ByteText } from './byte-text.ts'

/** The named texts that a template can use. */
export type TemplateFields = Readonly<Record<string, string>>

/** `TemplateFields` is the value that `.` has at the beginning. */
export type NameTemplateValue = ByteText | number | boolean | TemplateFields

/** One run of a template, as functions see it. */
export interface TemplateRun {
  /** The parameter that contains the template, for error messages. */
  readonly parameter: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly entropy: Entropy
  /** Makes an error with the parameter and the rule. */
  refuse(rule: string): KernelError
  /** Spends work units; one unit is about one byte read. @throws KernelError 400 if none are left */
  spend(units: number): void
  /** Checks the length of a text before it is made. @throws KernelError 400 if it is too long */
  checkLength(bytes: number): void
}

export interface TemplateFunction {
  readonly least: number
  /** Maximum number of operands. */
  readonly most: number
  readonly run: (run: TemplateRun, ...operands: readonly never[]) => NameTemplateValue
  /** The kinds of the operands in order. The last one applies to all further operands. */
  readonly takes: readonly ArgumentKind[]
  /** For `and` and `or`: the first operand with this truth value is the result, and the operands after it are not evaluated. */
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

/** Truth in Go: empty texts and zero are false. */
export const isTrue = (value: NameTemplateValue): boolean => (typeof value === 'object' ? true : Boolean(value))

/** A value as the output shows it. @throws KernelError 400 for the value of `.` with all fields */
export function printed(run: TemplateRun, value: NameTemplateValue): ByteText {
  if (typeof value === 'object') throw run.refuse('fields can only be written one at a time, such as {{.RoleName}}')
  return String(value)
}
