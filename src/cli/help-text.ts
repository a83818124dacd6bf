import { alignColumns } from './align-columns.ts'
import type { CommandDefinition, PositionalDefinition } from './command.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import type { OptionDefinition } from './option-definition.ts'
import type { HelpRequest } from './parse-command.ts'

const VALUE_NAMES: Readonly<Record<OptionDefinition['kind'], string>> = {
  flag: '',
  text: 'text',
  texts: 'text',
  integer: 'n',
  file: 'file',
  choice: 'choice',
}

export function helpText({ command, words }: HelpRequest, commands: readonly CommandDefinition[]): string {
  if (command) return helpOfCommand(command)
  const shown = words.length === 0 ? commands : commands.filter(({ name }) => name.startsWith(`${words[0]} `))
  return [
    `Usage: strongroom ${words.length === 0 ? '' : `${words[0]} `}<command> [options]`,
    '',
    'Commands:',
    ...alignColumns(shown.map(({ name, summary }) => [`  ${name}`, summary])),
    '',
    'Options of every command:',
    ...optionLines(GLOBAL_OPTIONS),
    '',
    'Secrets are read from files or from standard input. strongroom <command> --help describes a command.',
  ].join('\n')
}

function helpOfCommand(command: CommandDefinition): string {
  const { positionals, options } = command
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', `${title}:`, ...lines]
  return [
    `Usage: ${usageLine(command)}`,
    '',
    `${command.summary}.`,
    ...(command.details ? ['', command.details] : []),
    ...section('Arguments', alignColumns(positionals.map((one) => [`  <${one.name}>`, summaryOf(one)]))),
    ...section('Options', optionLines(options)),
    ...section('Options of every command', optionLines(GLOBAL_OPTIONS)),
    ...section('Example', [`  strongroom ${command.example}`]),
  ].join('\n')
}

/** How a command is called, such as `strongroom keys show <name> [options]`. */
export function usageLine({ name, positionals, options }: CommandDefinition): string {
  const required = Object.entries(options).filter(([, { required }]) => required)
  const parts = [
    ...required.map(([option, definition]) => `--${option} <${valueName(definition)}>`),
    ...positionals.map(positionalUsage),
  ]
  return ['strongroom', name, ...parts, '[options]'].join(' ')
}

function positionalUsage({ name, optional, many }: PositionalDefinition): string {
  const shown = `<${name}>${many ? '...' : ''}`
  return optional ? `[${shown}]` : shown
}

const summaryOf = ({ summary, choices }: { summary: string; choices?: readonly string[] }): string =>
  choices ? `${summary}: ${choices.join(', ')}` : summary

const optionLines = (options: Readonly<Record<string, OptionDefinition>>): readonly string[] =>
  alignColumns(Object.entries(options).map(([name, one]) => [`  ${optionUsage(name, one)}`, summaryOf(one)]))

const optionUsage = (name: string, option: OptionDefinition): string =>
  option.kind === 'flag' ? `--${name}` : `--${name} <${valueName(option)}>`

const valueName = ({ kind, value }: OptionDefinition): string => value ?? VALUE_NAMES[kind]
