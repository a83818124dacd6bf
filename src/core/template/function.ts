/**
 * What functions of templates take and return.
 */
import type { Entropy } from '../base/entropy.ts'
import type { KernelError } from '../base/errors.ts'
import type { ByteText } from './byte-text.ts'

/** What a template is run over, by name. */
export type TemplateFields = Readonly<Record<string, string>>

/** `Fields` is what `.` stands for at first. */
export type NameTemplateValue = ByteText | number | boolean | TemplateFields

/** What one run of a template has at hand. */
export interface TemplateRun {
  /** Whose template it is, for messages. */
  readonly parameter: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly entropy: Entropy
  /** Names the parameter and the rule. */
  refuse(rule: string): KernelError
  /** Takes from what one run may cost: a unit is about a byte looked at. @throws KernelError 400 when nothing is left */
  spend(units: number): void
  /** For texts that are about to be made. @throws KernelError 400 when it is longer than any may be */
  checkLength(bytes: number): void
}

export interface TemplateFunction {
  readonly least: number
  /** Of operands. */
  readonly most: number
  readonly run: (run: TemplateRun, ...operands: readonly never[]) => NameTemplateValue
  /** What the operands must be, in order; the last stands for all that follow. */
  readonly takes: readonly ArgumentKind[]
  /** The first operand that is true, or is not, is the result, and none behind it is looked at. */
  readonly endsAt?: boolean
}

export type ArgumentKind = 'text' | 'number' | 'any'

/** A function of a fixed number of operands. */
export const fixed = (takes: readonly ArgumentKind[], run: TemplateFunction['run']): TemplateFunction => ({
  least: takes.length,
  most: takes.length,
  takes,
  run,
})

/** Go's truth: what is empty or zero is false. */
export const isTrue = (value: NameTemplateValue): boolean => (typeof value === 'object' ? true : Boolean(value))

/** A value as it stands in the output. @throws KernelError 400 for all fields together */
export function printed(run: TemplateRun, value: NameTemplateValue): ByteText {
  if (typeof value === 'object') throw run.refuse('of the fields only one at a time can be written')
  return String(value)
}
