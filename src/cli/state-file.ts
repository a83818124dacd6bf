/** The state of long work in a JSON file, so that an interrupted command continues where it was. */
import { open, readFile, rename } from 'node:fs/promises'
import { CommandError } from './command-error.ts'

export interface StateFile<S> {
  /** The last saved state; undefined if the file does not exist. */
  load(): Promise<S | undefined>
  /** When it resolves, the state is on the disk. A process that is killed leaves the state before or this one. */
  save(state: S): Promise<void>
}

/** @param shown The path as the user gave it, for messages. */
export const stateFile = <S>(path: string, shown: string): StateFile<S> => ({
  async load() {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw new CommandError('failed', `--state: ${error.message}`)
    })
    if (text === undefined) return undefined
    try {
      return JSON.parse(text) as S
    } catch {
      throw new CommandError('failed', `--state: ${shown} is not JSON; remove it to begin again`)
    }
  },
  async save(state) {
    const file = await open(`${path}.new`, 'w', 0o600)
    try {
      await file.writeFile(JSON.stringify(state))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}.new`, path)
  },
})
