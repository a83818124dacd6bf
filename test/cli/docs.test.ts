import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { parseCommand } from '../../src/cli/parse-command.ts'
import { commandTable, exitCodeTable, globalOptionTable } from './command-table.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8')

describe('docs/command-line.md', () => {
  it('has the table of all commands as they are defined', () => {
    expect(page).toContain(commandTable())
  })

  it('has the options of every command', () => {
    expect(page).toContain(globalOptionTable())
  })

  it('has the exit codes', () => {
    expect(page).toContain(exitCodeTable())
  })

  it('shows only commands whose arguments are valid', () => {
    const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, text]) => (text as string).split('\n'))
    const calls = lines.flatMap((line) => /(?:^|\| |npx )strongroom ([^|#>]*)/.exec(line)?.[1] ?? [])
    expect(calls.length).toBeGreaterThan(10)
    for (const call of calls) {
      const words = call.trim().split(/ +/)
      expect(() => parseCommand(words, COMMANDS), call).not.toThrow()
    }
  })
})
