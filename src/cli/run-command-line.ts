/** Runs one command from its arguments to its exit code. */
import type { CommandDefinition } from './command.ts'
import { CommandError, shownError } from './command-error.ts'
import { CommandSession } from './command-session.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { helpText } from './help-text.ts'
import { parseCommand } from './parse-command.ts'
import { type Terminal, writeAll } from './terminal.ts'
import { toJson } from './to-json.ts'

/**
 * @param signal Abort it to interrupt the command.
 * @returns The exit code.
 */
export async function runCommandLine(
  argv: readonly string[],
  commands: readonly CommandDefinition[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  try {
    const parsed = parseCommand(argv, commands)
    if ('words' in parsed) {
      await writeAll(terminal.stdout, `${helpText(parsed, commands)}\n`)
      return EXIT_CODES.ok.code
    }
    const { command, globals, options, args } = parsed
    const session = new CommandSession(terminal, signal, globals)
    try {
      const { data, text, reason = 'ok' } = await command.run({ options, args, session })
      if (!session.isJson && text !== '') await writeAll(terminal.stdout, `${text}\n`)
      if (session.isJson && data) await writeAll(terminal.stdout, `${await toJson(data)}\n`)
      return EXIT_CODES[reason].code
    } finally {
      await session.close()
    }
  } catch (error) {
    const isInterrupted = signal.aborted || (error instanceof CommandError && error.reason === 'interrupted')
    const shown = shownError(error, isInterrupted)
    const isJson = argv.includes('--json')
    await writeAll(terminal.stderr, `${isJson ? JSON.stringify({ error: shown }) : `strongroom: ${shown.message}`}\n`)
    return shown.exit_code
  }
}
