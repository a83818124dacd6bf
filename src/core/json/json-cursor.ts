/** The state of the JSON reader: its position, limits and errors. */
import { invalid, type KernelError } from '../base/errors.ts'

export interface JsonLimits {
  readonly levels: number
  /** The maximum number of values: arrays, objects, strings, numbers, `true`, `false` and `null`. */
  readonly values: number
  /** The maximum length of a number in bytes. It limits the time per number. */
  readonly numberBytes: number
  /** Whether integers may exceed the range of a double. */
  readonly beyondDouble: boolean
  /** Whether an object may contain the same name several times. If it may, the last value is used. */
  readonly repeatedNames: boolean
}

/**
 * Called before each yield between two tokens, and at the end. `values`: the estimated memory of the values so far, without the characters
 * of their strings. `read`: the number of bytes read so far.
 */
export type OnJsonGrowth = (values: number, read: number) => void

/**
 * The limits for request bodies. Other code limits the size of a body. Go's decoder, which Vault uses, has the same limit of 10,000 levels.
 * A number with more than 309 digits before the decimal point exceeds the range of a double, so only numbers with fractions can be longer.
 */
export const BODY_LIMITS: JsonLimits = {
  levels: 10_000,
  values: Number.POSITIVE_INFINITY,
  numberBytes: 1024,
  beyondDouble: false,
  repeatedNames: true,
}

/**
 * The text being read. The caller may overwrite the bytes whenever the reader pauses, so the bytes that were checked must be decoded before
 * the next pause. A missing byte (`undefined`) means the end of the text.
 */
export interface JsonCursor {
  readonly limits: JsonLimits
  /** A view of the caller's bytes, of the type that `#platform/texts` requires. */
  readonly bytes: Uint8Array
  at: number
  /** Whether the string reader has reached the closing quote. */
  closed: boolean
  /** A buffer for strings with escapes. It is allocated at the first escape. */
  scratch: Uint8Array | undefined
}

/** An error with the offset of the wrong byte. The message does not quote the text, because the text may contain secrets. */
export const jsonError = (what: string, at: number): KernelError => invalid(`error parsing JSON: ${what} at byte ${at}`)
