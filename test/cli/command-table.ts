/** The tables of `docs/command-line.md`, made from the definitions. */
import { COMMANDS } from '../../src/cli/commands.ts'
import { EXIT_CODES } from '../../src/cli/exit-codes.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/global-options.ts'
import type { OptionDefinition } from '../../src/cli/option-definition.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<')

const optionText = (name: string, { kind, required, summary, choices }: OptionDefinition): string =>
  `\`--${name}\`${required ? ' (required)' : ''}: ${kind === 'choice' ? `${choices?.join(' or ')}: ` : ''}${cell(summary)}`

export const commandTable = (): string =>
  [
    '| command | what it does | options |',
    '|---|---|---|',
    ...COMMANDS.map(({ name, positionals, summary, options }) => {
      const words = positionals.map(({ name: argument, optional, many }) => {
        const shown = `<${argument}>${many ? '...' : ''}`
        return optional ? `[${shown}]` : shown
      })
      const texts = Object.entries(options).map(([option, definition]) => optionText(option, definition))
      return `| \`${[name, ...words].join(' ')}\` | ${cell(summary)} | ${texts.join('<br>')} |`
    }),
  ].join('\n')

export const globalOptionTable = (): string =>
  [
    '| option | meaning |',
    '|---|---|',
    ...Object.entries(GLOBAL_OPTIONS).map(([name, { summary }]) => `| \`--${name}\` | ${cell(summary)} |`),
  ].join('\n')

export const exitCodeTable = (): string =>
  [
    '| code | meaning |',
    '|---|---|',
    ...Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${cell(meaning)} |`),
  ].join('\n')
