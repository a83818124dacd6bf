/**
 * Where the JSON reader stands, how far it goes, and how it refuses.
 */
import { invalid, type KernelError } from '../base/errors.ts'

/** How much of what a text may hold. */
export interface JsonLimits {
  readonly levels: number
  /** Arrays, objects, texts, numbers and words. */
  readonly values: number
  /** Of one number: what keeps the work for it small. */
  readonly numberBytes: number
  /** Integers may be larger than any double. */
  readonly beyondDouble: boolean
  /** An object may have a name twice; the last one wins. */
  readonly repeatedNames: boolean
}

/** Told, at every pause and at the end, what the values read so far take in memory beside their texts, and how far reading has come. */
export type Grow = (values: number, read: number) => void

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
export interface Cursor {
  readonly limits: JsonLimits
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
