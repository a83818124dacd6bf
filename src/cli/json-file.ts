/** JSON files that a command replaces while it works, so that an interrupted command continues where it was. */
import { open, readFile, rename } from 'node:fs/promises'

/** The value in a file; undefined if the file does not exist. @throws SyntaxError if it is not JSON; the error of the file system. */
export async function readJsonFile<T>(path: string): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : (JSON.parse(text) as T)
}

/** When it resolves, the value is on the disk. A process that is killed leaves either the old file or the new one. */
export async function replaceJsonFile(path: string, value: object): Promise<void> {
  const next = await open(`${path}.new`, 'w', 0o600)
  try {
    await next.writeFile(JSON.stringify(value))
    await next.sync()
  } finally {
    await next.close()
  }
  await rename(`${path}.new`, path)
}
