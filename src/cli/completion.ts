/** Completion scripts for shells, made from the definitions of the commands. They contain all words, so no completion starts a process. */
import type { CommandDefinition } from './command.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import type { OptionDefinition } from './option-definition.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

export const completionScript = (shell: Shell, commands: readonly CommandDefinition[]): string => SCRIPTS[shell](commands)

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CommandDefinition[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `#compdef strongroom\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
}

const optionsOf = (command: CommandDefinition): readonly (readonly [string, OptionDefinition])[] =>
  Object.entries<OptionDefinition>({ ...command.options, ...GLOBAL_OPTIONS })

/** The first words of commands, each with the second words that may follow it. */
function wordTree(commands: readonly CommandDefinition[]): ReadonlyMap<string, readonly string[]> {
  const tree = new Map<string, string[]>()
  for (const { name } of commands) {
    const [first, second] = name.split(' ') as [string, string?]
    const seconds = tree.get(first) ?? []
    if (second) seconds.push(second)
    tree.set(first, seconds)
  }
  return tree
}

/** The words that may follow a command in place of its first argument or of the value of an option. */
const choicesOf = (command: CommandDefinition): readonly string[] => command.positionals[0]?.choices ?? []

function bashScript(commands: readonly CommandDefinition[]): string {
  const tree = wordTree(commands)
  const groups = [...tree].filter(([, seconds]) => seconds.length > 0)
  const cases = commands.map((command) => {
    const words = [...optionsOf(command).map(([name]) => `--${name}`), ...choicesOf(command)]
    return `    '${command.name}') words='${words.join(' ')}' ;;`
  })
  return `_strongroom() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" first="\${COMP_WORDS[1]}" words=''
  case "$previous" in
    ${fileOptions(commands)
      .map((name) => `--${name}`)
      .join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
${choiceOptions(commands)
  .map(([name, choices]) => `    --${name}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`)
  .join('\n')}
  esac
  local name="$first"
  case "$first" in
    ${groups.map(([first]) => first).join('|')}) [ "$COMP_CWORD" -gt 2 ] && name="$first \${COMP_WORDS[2]}" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${[...tree.keys()].join(' ')}'; else
  case "$name" in
${groups.map(([first, seconds]) => `    '${first}') words='${seconds.join(' ')}' ;;`).join('\n')}
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$current" in -*) ;; *) [ "$COMP_CWORD" -gt 1 ] && COMPREPLY+=($(compgen -f -- "$current")) ;; esac
}
complete -F _strongroom strongroom
`
}

const fileOptions = (commands: readonly CommandDefinition[]): readonly string[] => [
  ...new Set(commands.flatMap(optionsOf).flatMap(([name, { kind }]) => (kind === 'file' ? [name] : []))),
]

const choiceOptions = (commands: readonly CommandDefinition[]): readonly (readonly [string, readonly string[]])[] => [
  ...new Map(commands.flatMap(optionsOf).flatMap(([name, { choices }]) => (choices ? [[name, choices] as const] : []))),
]

function fishScript(commands: readonly CommandDefinition[]): string {
  const tree = wordTree(commands)
  const summaryOf = (first: string): string => commands.find(({ name }) => name === first)?.summary ?? `${first} commands`
  const lines = [...tree].flatMap(([first, seconds]) => [
    `complete -c strongroom -f -n __fish_use_subcommand -a ${first} -d ${quoted(summaryOf(first))}`,
    ...seconds.map((second) => {
      const summary = commands.find(({ name }) => name === `${first} ${second}`)?.summary ?? ''
      const condition = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`
      return `complete -c strongroom -f -n ${quoted(condition)} -a ${second} -d ${quoted(summary)}`
    }),
  ])
  const options = commands.flatMap((command) => {
    const condition = command.name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    const choices = choicesOf(command).map((choice) => `complete -c strongroom -n ${quoted(condition)} -a ${choice}`)
    return [...choices, ...optionsOf(command).map(([name, option]) => fishOption(condition, name, option))]
  })
  return `${[...lines, ...options].join('\n')}\n`
}

function fishOption(condition: string, name: string, { kind, choices, summary }: OptionDefinition): string {
  const value = kind === 'flag' ? '' : kind === 'file' ? ' -rF' : choices ? ` -x -a ${quoted(choices.join(' '))}` : ' -x'
  return `complete -c strongroom -n ${quoted(condition)} -l ${name}${value} -d ${quoted(summary)}`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
