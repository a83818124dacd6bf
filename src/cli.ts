#!/usr/bin/env node
/** The program `strongroom`. */
import { COMMANDS } from './cli/commands.ts'
import { EXIT_CODES } from './cli/exit-codes.ts'
import { runCommandLine } from './cli/run-command-line.ts'

const interruption = new AbortController()
/**
 * The first signal lets the command stop at a safe point. The second one ends the process as if nothing handled it: `process.exit()` would
 * wait for the native code of a storage, which may hang while it commits.
 */
function interrupt(signal: NodeJS.Signals): void {
  if (interruption.signal.aborted) {
    if (process.stdin.isRaw) process.stdin.setRawMode(false)
    process.off(signal, interrupt)
    process.kill(process.pid, signal)
  }
  interruption.abort()
}
process.on('SIGINT', interrupt).on('SIGTERM', interrupt)

const { stdin, stdout, stderr } = process
// A reader of a pipe that has read enough, such as `head`, is no failure.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : EXIT_CODES.failed.code))

process.exitCode = await runCommandLine(
  process.argv.slice(2),
  COMMANDS,
  { cwd: process.cwd(), stdin, stdout, stderr },
  interruption.signal,
)
// Standard input that was read, and sockets of the config, must not keep the process.
process.exit()
