/**
 * The state of the JSON reader: its position, its limits, and its refusals.
 */
import { invalid, type KernelError } from '../base/errors.ts'

/** How much a text may hold. */
export interface JsonLimits {
  readonly levels: number
  /** Arrays, objects, texts, numbers and words. */
  readonly values: number
  /** Of one number: bounds the work for it. */
  readonly numberBytes: number
  /** Integers may be larger than any double. */
  readonly beyondDouble: boolean
  /** An object may repeat a name; the last one wins. */
  readonly repeatedNames: boolean
}

/**
 * Called at every pause and at the end with the memory that the values read so far take beside their texts, and with the position
 * reached.
 */
export type OnJsonGrowth = (values: number, read: number) => void

/**
 * Bodies are bounded by their size. Go's decoder, which the originals use, takes as many levels. An integer of more than 309 digits is
 * beyond a double, longer numbers have fractions.
 */
export const BODY_LIMITS: JsonLimits = {
  levels: 10_000,
  values: Number.POSITIVE_INFINITY,
  numberBytes: 1024,
  beyondDouble: false,
  repeatedNames: true,
}

/**
 * The text being read. The bytes may belong to somebody who overwrites them between two slices: whatever is checked is therefore
 * decoded in the same slice, and a byte that has gone (`undefined`) is the end of the text.
 */
export interface JsonCursor {
  readonly limits: JsonLimits
  /** A view over the caller's bytes, in the form that the platform's texts take. */
  readonly bytes: Uint8Array
  at: number
  /** Set by the string reader: the closing quote has been read. */
  closed: boolean
  /** The buffer for strings with escapes. Made at the first escape. */
  scratch: Uint8Array | undefined
}

/** A refusal with the offset of the offending byte. It never quotes the text, which may be a secret. */
export const jsonError = (what: string, at: number): KernelError => invalid(`error parsing JSON: ${what} at byte ${at}`)
