import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { CommandDefinition, ParsedOptions } from './command.ts'
import { usageError } from './command-error.ts'
import { GLOBAL_OPTIONS, type GlobalOptions } from './global-options.ts'
import type { OptionDefinition } from './option-definition.ts'

export interface ParsedCommand {
  readonly command: CommandDefinition
  readonly globals: GlobalOptions
  readonly options: ParsedOptions
  readonly args: readonly string[]
}

/** A request for help: about one command, or about the commands whose names begin with `words`. */
export interface HelpRequest {
  readonly command?: CommandDefinition
  readonly words: readonly string[]
}

/** @throws CommandError `usage` for an unknown command or invalid arguments. */
export function parseCommand(argv: readonly string[], commands: readonly CommandDefinition[]): ParsedCommand | HelpRequest {
  const command = commandNamed(argv, commands)
  if (!command) return helpRequest(argv, commands)
  const rest = argv.slice(command.name.split(' ').length)
  // Help is answered whatever the other arguments are.
  if (rest.includes('--help') || rest.includes('-h')) return { command, words: [] }
  const { values, positionals } = parse(rest, command)
  const options = readValues(command.options, values)
  checkPositionals(command, positionals)
  return { command, globals: readValues(GLOBAL_OPTIONS, values) as unknown as GlobalOptions, options, args: positionals }
}

/** The command with the longest name at the beginning of the arguments. */
const commandNamed = (argv: readonly string[], commands: readonly CommandDefinition[]): CommandDefinition | undefined =>
  commands.find(({ name }) => name.split(' ').length === 2 && name === argv.slice(0, 2).join(' ')) ??
  commands.find(({ name }) => name === argv[0])

function helpRequest(argv: readonly string[], commands: readonly CommandDefinition[]): HelpRequest {
  const words = argv.filter((word) => !word.startsWith('-'))
  const names = words[0] === 'help' ? words.slice(1) : words
  const asksForHelp = words[0] === 'help' || argv.includes('--help') || argv.includes('-h') || argv.length === 0
  const command = commandNamed(names, commands)
  if (asksForHelp && command) return { command, words: [] }
  const isGroup = names.length === 1 && commands.some(({ name }) => name.startsWith(`${names[0]} `))
  if (asksForHelp && (names.length === 0 || isGroup)) return { words: names }
  if (isGroup) {
    const members = commands.filter(({ name }) => name.startsWith(`${names[0]} `)).map(({ name }) => name.split(' ')[1])
    throw usageError(`${names[0]}: must be followed by ${members.join(', ')}`)
  }
  const shown = names.length > 0 ? names.slice(0, 2).join(' ').slice(0, 60) : (argv[0] ?? '').split('=')[0]?.slice(0, 60)
  throw usageError(`unknown command: ${shown}; strongroom --help lists the commands`)
}

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

function parse(
  args: readonly string[],
  { options }: CommandDefinition,
): { readonly values: Values; readonly positionals: string[] } {
  const config: NonNullable<ParseArgsConfig['options']> = {}
  for (const [name, { kind }] of Object.entries({ ...GLOBAL_OPTIONS, ...options } as Record<string, OptionDefinition>))
    config[name] = { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'texts' }
  try {
    return parseArgs({ args: [...args], options: config, allowPositionals: true, strict: true })
  } catch (error) {
    // Only the first sentence: the rest is advice about positional arguments.
    throw usageError((error as Error).message.split('. ')[0] as string)
  }
}

function readValues(definitions: Readonly<Record<string, OptionDefinition>>, values: Values): ParsedOptions {
  const read: Record<string, ParsedOptions[string]> = {}
  for (const [name, definition] of Object.entries(definitions)) {
    const value = values[name]
    if (value === undefined && definition.required) throw usageError(`--${name}: is required`)
    read[name] = value === undefined ? undefined : readValue(name, definition, value)
  }
  return read
}

function readValue(name: string, { kind, choices }: OptionDefinition, value: NonNullable<Values[string]>): ParsedOptions[string] {
  if (kind === 'flag') return value as boolean
  if (kind === 'texts') return value as readonly string[]
  const text = value as string
  if (kind === 'integer') {
    if (!/^\d{1,15}$/.test(text)) throw usageError(`--${name}: must be a whole number`)
    return Number(text)
  }
  if (choices && !choices.includes(text)) throw usageError(`--${name}: must be one of ${choices.join(', ')}`)
  if (text === '') throw usageError(`--${name}: must not be empty`)
  return text
}

function checkPositionals({ positionals }: CommandDefinition, args: readonly string[]): void {
  for (const [at, { name, optional, choices }] of positionals.entries()) {
    const value = args[at]
    if (value === undefined && !optional) throw usageError(`<${name}>: is missing`)
    if (value === '') throw usageError(`<${name}>: must not be empty`)
    if (value !== undefined && choices && !choices.includes(value))
      throw usageError(`<${name}>: must be one of ${choices.join(', ')}`)
  }
  if (args.length > positionals.length && !positionals.at(-1)?.many)
    throw usageError(`too many arguments: this command takes ${positionals.length}`)
}
