/**
 * Where the JSON reader stands, and how it refuses. Room: core/request. Imported by the json-* files beside it.
 */
import { invalid, type KernelError } from '../errors.ts'

/**
 * The text being read. The bytes may belong to somebody who overwrites them between two slices: whatever is checked is therefore
 * decoded in the same slice, and a byte that has gone (`undefined`) is the end of the text.
 */
export interface Cursor {
  /** A view over the caller's bytes. */
  readonly bytes: Buffer
  at: number
  /** Set by the string reader: the closing quote has been read. */
  closed: boolean
  /** Where strings with escapes are put together. Made at the first escape. */
  scratch: Buffer | undefined
}

/** What is wrong and the offset of the byte where that shows. Never a piece of the text, which may be a secret. */
export const refuse = (what: string, at: number): KernelError => invalid(`error parsing JSON: ${what} at byte ${at}`)
