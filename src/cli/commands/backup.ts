import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { command } from '../command.ts'
import { CommandError, isKernelError, usageError } from '../command-error.ts'
import { writeAll } from '../terminal.ts'

const reached = (records: number, bytes: number): string => `${records} records, ${Math.ceil(bytes / 1024)} KiB`

export const backup = command({
  name: 'backup',
  summary: 'Back up the whole store to a file',
  details: `The store may be in use, and may be sealed. The backup is encrypted like the store. The file appears when the backup is complete; an
interrupted backup is begun again.`,
  options: {
    out: { kind: 'file', required: true, summary: 'The new file, with mode 0600; - for standard output' },
  },
  example: 'backup --out strongroom.backup',
  async run({ options, session }) {
    if (options.out === '-' && session.isJson)
      throw usageError('--json: needs a file in --out, because standard output contains the backup')
    const { storage } = (await session.config()).options
    const { backupStorage } = await import('../../index.ts')
    const run = async (report: (text: string) => void): Promise<{ readonly done: number; readonly bytes: number }> => {
      let progress = { done: 0, bytes: 0 }
      const onProgress = (now: typeof progress): void => {
        progress = now
        report(reached(now.done, now.bytes))
      }
      const chunks = backupStorage(storage, { signal: session.signal, onProgress })
      if (options.out === '-') for await (const chunk of chunks) await writeAll(session.terminal.stdout, chunk)
      else await writeFileWhenComplete(resolve(session.terminal.cwd, options.out), options.out, chunks)
      return progress
    }
    const { done, bytes } = await session.withProgress('backup', run, (end) => reached(end.done, end.bytes))
    return { data: { out: options.out, records: done, bytes }, text: '' }
  },
})

async function writeFileWhenComplete(path: string, shown: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  if (exists) throw usageError(`--out: ${shown} exists; name a new file`)
  const partial = `${path}.partial`
  // The file of an interrupted backup is incomplete.
  await rm(partial, { force: true })
  const file = await open(partial, 'wx', 0o600).catch((error: Error) => {
    throw new CommandError('failed', `--out: ${error.message}`)
  })
  try {
    for await (const chunk of chunks) await file.writeFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(partial, path)
}

export const restore = command({
  name: 'restore',
  summary: 'Restore a backup to the empty storage of the config',
  details: 'An interrupted restore is begun again by the same command. No kernel opens a store that is only partly restored.',
  positionals: [{ name: 'file', summary: 'The backup; - for standard input', isFile: true }],
  example: 'restore strongroom.backup',
  async run({ args, session }) {
    const [file] = args as readonly [string]
    const { storage } = (await session.config()).options
    const { restoreStorage } = await import('../../index.ts')
    const path = resolve(session.terminal.cwd, file)
    const size = file === '-' ? undefined : await sizeOf(path, file)
    const run = async (report: (text: string, fraction?: number) => void) => {
      let records = 0
      const source = file === '-' ? session.terminal.stdin : createReadStream(path)
      const onProgress = ({ done, bytes }: { readonly done: number; readonly bytes: number }): void => {
        records = done
        report(reached(done, bytes), size && Math.min(1, bytes / size))
      }
      const { revision } = await restoreStorage(source, storage, { signal: session.signal, onProgress })
      return { records, revision }
    }
    try {
      return { data: await session.withProgress('restore', run, ({ records }) => `${records} records`), text: '' }
    } catch (error) {
      if (isKernelError(error) && error.code === 'ERR_INVALID_REQUEST')
        throw new CommandError('integrity', error.message, { code: 'ERR_DAMAGED_BACKUP', cause: error })
      throw error
    }
  },
})

const sizeOf = (path: string, shown: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => {
      throw usageError(`<file>: ${shown} does not exist`)
    },
  )
