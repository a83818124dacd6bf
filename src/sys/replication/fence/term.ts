/**
 * What a fence holds for a set: who may write, and in which epoch. It tells no time: each side counts by its own clock.
 */

/**
 * Milliseconds that whoever takes over waits from when it has seen a value that does not change. A kernel that has put the value writes for
 * less, counted from before it began to put it.
 */
export const TERM_MS = 15_000

/** A clock may go a twentieth slower than another. */
export const WAIT_MS = 15_750

/** A write that begins within it comes back to a kernel that looks again. */
export const RIGHT_MS = 13_500

export const RENEW_MS = 5000

export interface Term {
  /** Random name of a store. */
  readonly holder: string
  readonly epoch: number
  /** The index of the newest record that the holder had. */
  readonly index: number
  /** Random, so that no value is put twice. */
  readonly nonce: string
  /** The holder writes nothing more. */
  readonly released?: true
}

const LONGEST = 1024

export const textOf = (term: Term): string => JSON.stringify(term)

const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Undefined for anything but a term. */
export function termIn(text: string): Term | undefined {
  if (text.length > LONGEST) return undefined
  try {
    const term = JSON.parse(text) as Partial<Term> | null
    const isTerm =
      typeof term?.holder === 'string' && typeof term.nonce === 'string' && isIndex(term.epoch) && isIndex(term.index)
    return isTerm ? (term as Term) : undefined
  } catch {
    return undefined
  }
}
