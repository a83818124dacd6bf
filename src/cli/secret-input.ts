/** Secrets of commands: from files, from standard input, or from a prompt that does not show them. Never from arguments. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { CommandError, usageError } from './command-error.ts'
import { isInteractive, type Terminal } from './terminal.ts'

/** Longer inputs are refused, so that a wrong file does not fill the memory. */
const MAX_SECRET_BYTES = 33_554_432

export interface SecretSource {
  /** The name of the secret in prompts and messages, such as `token`. */
  readonly what: string
  /** A file; `-` for standard input. Default: a prompt on a terminal, and standard input elsewhere. */
  readonly file: string | undefined
}

export class SecretInput {
  readonly #terminal: Terminal
  readonly #signal: AbortSignal
  #stdinUsedFor: string | undefined

  constructor(terminal: Terminal, signal: AbortSignal) {
    this.#terminal = terminal
    this.#signal = signal
  }

  /** Whether a prompt is possible. */
  get isInteractive(): boolean {
    return isInteractive(this.#terminal)
  }

  /**
   * The text without the line break at its end.
   * @throws CommandError `usage` if the text is empty, or if standard input was already read for something else.
   */
  async read({ what, file }: SecretSource): Promise<string> {
    const text =
      file === undefined && this.isInteractive ? await this.prompt(`Enter the ${what}`) : await this.#readAll(what, file ?? '-')
    const trimmed = text.replace(/\r?\n$/, '')
    if (trimmed === '') throw usageError(`${what}: must not be empty`)
    return trimmed
  }

  /** The lines of a text, without empty lines. */
  async readLines(source: SecretSource): Promise<readonly string[]> {
    return (await this.read(source))
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  }

  /** @throws CommandError `interrupted` if the user cancels the prompt. */
  async prompt(message: string): Promise<string> {
    const { isCancel, password } = await import('@clack/prompts')
    const { stdin, stderr } = this.#terminal
    const answer = await password({ message, input: stdin, output: stderr, signal: this.#signal })
    if (isCancel(answer)) throw new CommandError('interrupted', 'interrupted')
    return answer
  }

  async #readAll(what: string, file: string): Promise<string> {
    if (file !== '-') return readText(what, resolve(this.#terminal.cwd, file))
    if (this.#stdinUsedFor !== undefined)
      throw usageError(`${what}: standard input already contains the ${this.#stdinUsedFor}; read one of them from a file`)
    this.#stdinUsedFor = what
    return readStream(what, this.#terminal.stdin)
  }
}

async function readText(what: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw usageError(`${what}: ${(error as Error).message}`)
  }
}

async function readStream(what: string, stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk as Uint8Array | string)
    bytes += piece.length
    if (bytes > MAX_SECRET_BYTES) throw usageError(`${what}: must have at most ${MAX_SECRET_BYTES} bytes`)
    chunks.push(piece)
  }
  return Buffer.concat(chunks).toString('utf8')
}
