/** A file that is written in steps. After an interruption it is continued at its last checkpoint, and it appears when it is complete. */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { CommandError, usageError } from '../command-error.ts'
import { readJsonFile, replaceJsonFile } from '../json-file.ts'

/** The content of a checkpoint file. */
interface StoredCheckpoint<S> {
  /** Identifies the work, so that other arguments do not continue it. */
  readonly work: string
  /** The length of the output in bytes. */
  readonly written: number
  readonly state: S
}

/** `S` is the state of the work at a checkpoint: plain data. */
export class ResumableOutput<S> {
  /** The state at the last checkpoint of an interrupted run; undefined in a first run. */
  readonly resumed: S | undefined
  readonly #path: string
  readonly #work: string
  readonly #file: FileHandle
  #written: number

  private constructor(path: string, work: string, file: FileHandle, found: StoredCheckpoint<S> | undefined) {
    this.#path = path
    this.#work = work
    this.#file = file
    this.#written = found?.written ?? 0
    this.resumed = found?.state
  }

  /**
   * @param work A text that is equal for equal work.
   * @throws CommandError `usage` if the file exists, or if another work was interrupted.
   */
  static async open<S>(path: string, shown: string, work: string): Promise<ResumableOutput<S>> {
    if (await exists(path)) throw usageError(`--out: ${shown} exists; name a new file`)
    const found = await readJsonFile<StoredCheckpoint<S>>(checkpointOf(path))
    if (found && found.work !== work)
      throw usageError(
        `--out: a run with other arguments or another input was interrupted; continue it, or remove ${shown}.partial and ${shown}.progress`,
      )
    const file = await open(partialOf(path), found ? 'r+' : 'w', 0o600).catch((error: Error) => {
      throw new CommandError('failed', `--out: ${error.message}`)
    })
    // Lines after the checkpoint are written again.
    await file.truncate(found?.written ?? 0)
    return new ResumableOutput(path, work, file, found)
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    let at = 0
    while (at < bytes.length) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#written + at)
      at += bytesWritten
    }
    this.#written += bytes.length
  }

  /** When it resolves, an interruption continues here. */
  async checkpoint(state: S): Promise<void> {
    await this.#file.sync()
    const stored: StoredCheckpoint<S> = { work: this.#work, written: this.#written, state }
    await replaceJsonFile(checkpointOf(this.#path), stored)
  }

  async finish(): Promise<void> {
    await this.#file.sync()
    await this.#file.close()
    await rename(partialOf(this.#path), this.#path)
    await rm(checkpointOf(this.#path), { force: true })
  }

  /** Keeps what was written for the next run. */
  async interrupt(): Promise<void> {
    await this.#file.close()
  }
}

const partialOf = (path: string): string => `${path}.partial`
const checkpointOf = (path: string): string => `${path}.progress`

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
