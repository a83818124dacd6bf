/** Runs commands in this process, with streams in memory. */
import { Readable, Writable } from 'node:stream'
import { COMMANDS } from '../../src/cli/commands.ts'
import { runCommandLine } from '../../src/cli/run-command-line.ts'

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export async function runInProcess(args: readonly string[], input = '', cwd = import.meta.dirname): Promise<Outcome> {
  const texts = { stdout: '', stderr: '' }
  const into = (name: keyof typeof texts): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        texts[name] += chunk.toString()
        done()
      },
    })
  const terminal = { cwd, stdin: Readable.from([Buffer.from(input)]), stdout: into('stdout'), stderr: into('stderr') }
  const code = await runCommandLine(args, COMMANDS, terminal, new AbortController().signal)
  return { code, ...texts }
}
