/** The state of the JSON reader: its position, limits and errors. */
import { invalid, type KernelError } from '../base/errors.ts'

export interface JsonLimits {
  readonly levels: number
  /** Maximum number of arrays, objects, strings, numbers, `true`, `false` and `null`. */
  readonly values: number
  /** Maximum bytes of one number, which limits the work per number. */
  readonly numberBytes: number
  /** Integers may exceed the range of a double. */
  readonly beyondDouble: boolean
  /** An object may repeat a name; the last value wins. */
  readonly repeatedNames: boolean
}

/**
 * Called at every yield and at the end. `values`: estimated memory of the values so far, without the characters of their strings. `read`:
 * bytes read so far.
 */
export type OnJsonGrowth = (values: number, read: number) => void

/**
 * The limits of request bodies, whose size is limited elsewhere. 10,000 levels is also the limit of Go's decoder, which Vault uses. An
 * integer of more than 309 digits exceeds a double; longer numbers have fractions.
 */
export const BODY_LIMITS: JsonLimits = {
  levels: 10_000,
  values: Number.POSITIVE_INFINITY,
  numberBytes: 1024,
  beyondDouble: false,
  repeatedNames: true,
}

/**
 * The text being read. The caller may overwrite its bytes between two slices, so a slice decodes the same bytes that it has checked. A
 * missing byte (`undefined`) is the end of the text.
 */
export interface JsonCursor {
  readonly limits: JsonLimits
  /** A view of the caller's bytes, in the type that `#platform/texts` works on. */
  readonly bytes: Uint8Array
  at: number
  /** The string reader has read the closing quote. */
  closed: boolean
  /** The buffer for strings with escapes, allocated at the first escape. */
  scratch: Uint8Array | undefined
}

/** An error with the offset of the wrong byte. It never quotes the text, which may be a secret. */
export const jsonError = (what: string, at: number): KernelError => invalid(`error parsing JSON: ${what} at byte ${at}`)
