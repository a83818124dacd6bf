import type { Readable, Writable } from 'node:stream'

/** The streams and the folder with which a command works. */
export interface Terminal {
  readonly cwd: string
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** Writes the whole text, so that a pipe that is full delays the command. */
export const writeAll = (to: Writable, text: string | Uint8Array): Promise<void> =>
  new Promise((done, failed) => {
    to.write(text, (error) => (error ? failed(error) : done()))
  })

/** Whether a command can ask the user questions. */
export const isInteractive = ({ stdin, stderr }: Terminal): boolean => stdin.isTTY === true && stderr.isTTY === true
