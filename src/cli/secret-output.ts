/** Secrets that a command creates: they are written to a file that only its owner can read, or to standard output if that was requested. */
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { CommandError, usageError } from './command-error.ts'
import type { OptionDefinition } from './option-definition.ts'
import type { Terminal } from './terminal.ts'
import { writeAll } from './terminal.ts'

/** The option of commands that create secrets. */
export const OUT_OPTION = {
  kind: 'file',
  required: true,
  summary: 'A new file, with mode 0600, for the secrets as JSON; - shows them on standard output',
} as const satisfies OptionDefinition

/** Opened before the secrets are created, so that they are not lost because the file cannot be created. */
export interface SecretOutput {
  /** The path as the user gave it; undefined for standard output. */
  readonly file: string | undefined
  /** Writes the secrets. When it resolves, they are on the disk, or were accepted by standard output. */
  write(secrets: object): Promise<void>
  /** Removes an empty file if the secrets were not created. */
  close(): Promise<void>
}

/** @throws CommandError if the file exists or cannot be created. */
export async function openSecretOutput(terminal: Terminal, out: string): Promise<SecretOutput> {
  if (out === '-')
    return { file: undefined, write: (secrets) => writeAll(terminal.stdout, `${JSON.stringify(secrets)}\n`), async close() {} }
  const path = resolve(terminal.cwd, out)
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw usageError(`--out: ${out} exists; name a new file`)
    throw new CommandError('failed', `--out: ${error.message}`)
  })
  let isWritten = false
  return {
    file: out,
    async write(secrets) {
      await file.writeFile(`${JSON.stringify(secrets, undefined, 2)}\n`)
      await file.sync()
      await syncFolder(dirname(path))
      isWritten = true
    },
    async close() {
      await file.close()
      if (isWritten) return
      const { rm } = await import('node:fs/promises')
      await rm(path)
    },
  }
}

/** Makes the name of a new file durable. Windows cannot open folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
