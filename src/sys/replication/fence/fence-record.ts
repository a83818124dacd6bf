/**
 * What a fence holds for a set: who may write, and in which epoch. It tells no time: each side counts by its own clock.
 */

/**
 * Milliseconds that whoever takes over waits from when it has seen a value that does not change. A kernel that has put the value writes for
 * less, counted from before it began to put it.
 */
export const NOMINAL_LEASE_MS = 15_000

/** A clock may go a twentieth slower than another. */
export const TAKEOVER_WAIT_MS = 15_750

/** A write that begins within it comes back to a kernel that looks again. */
export const LEASE_MS = 13_500

export const RENEW_AFTER_MS = 5000

export interface FenceRecord {
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

const MAX_RECORD_CHARACTERS = 1024

export const formatFenceRecord = (term: FenceRecord): string => JSON.stringify(term)

const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Undefined for anything but a term. */
export function parseFenceRecord(text: string): FenceRecord | undefined {
  if (text.length > MAX_RECORD_CHARACTERS) return undefined
  try {
    const term = JSON.parse(text) as Partial<FenceRecord> | null
    const isTerm =
      typeof term?.holder === 'string' && typeof term.nonce === 'string' && isIndex(term.epoch) && isIndex(term.index)
    return isTerm ? (term as FenceRecord) : undefined
  } catch {
    return undefined
  }
}
