/** Definitions of commands. Help, completion, validation of arguments and the table in the docs are made from them. */
import type { CommandSession } from './command-session.ts'
import type { ExitReason } from './exit-codes.ts'
import type { OptionDefinition, OptionValues } from './option-definition.ts'

export interface PositionalDefinition {
  readonly name: string
  readonly summary: string
  readonly optional?: boolean
  /** Whether all remaining arguments belong to it. Only for the last one. */
  readonly many?: boolean
  readonly choices?: readonly string[]
  /** Whether the argument is the path of a file, for completion. */
  readonly isFile?: boolean
}

/** The values of options whose definitions are not known to the type checker. */
export type ParsedOptions = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** The outcome of a command. */
export interface CommandResult {
  /** The object that `--json` writes to standard output. Absent if the command has written it. */
  readonly data?: object
  /** The text for standard output without `--json`. A final line break is added. If it is empty, nothing is written. */
  readonly text: string
  /** Default `ok`. */
  readonly reason?: ExitReason
}

export interface CommandInput<V = ParsedOptions> {
  readonly options: V
  /** The positional arguments. Optional ones may be missing at the end. */
  readonly args: readonly string[]
  readonly session: CommandSession
}

export interface CommandDefinition {
  /** One or two words, such as `keys list`. */
  readonly name: string
  /** One line without a final period, in the imperative. */
  readonly summary: string
  /** Paragraphs for the help of this command. */
  readonly details?: string
  readonly options: Readonly<Record<string, OptionDefinition>>
  readonly positionals: readonly PositionalDefinition[]
  /** Arguments after `strongroom`, for the help of this command. */
  readonly example: string
  run(input: CommandInput): Promise<CommandResult>
}

interface CommandParts<O extends Readonly<Record<string, OptionDefinition>>>
  extends Omit<CommandDefinition, 'options' | 'positionals' | 'run'> {
  readonly options?: O
  readonly positionals?: readonly PositionalDefinition[]
  run(input: CommandInput<OptionValues<O>>): Promise<CommandResult>
}

/** Defines a command. The types of its options follow from their definitions. */
export const command = <const O extends Readonly<Record<string, OptionDefinition>> = Record<never, never>>({
  options,
  positionals = [],
  run,
  ...parts
}: CommandParts<O>): CommandDefinition => ({
  ...parts,
  options: options ?? {},
  positionals,
  // `parseCommand` has checked every value against these definitions.
  run: (input) => run(input as unknown as CommandInput<OptionValues<O>>),
})
