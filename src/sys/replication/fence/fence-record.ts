/**
 * The value of a fence register: which cluster may write, and in which epoch. The value contains no time, because each cluster measures
 * time with its own clock.
 */

/** The nominal duration of a write lease in milliseconds. A holder uses less of it, and a cluster that takes over waits longer. */
export const NOMINAL_LEASE_MS = 15_000

/**
 * How long a cluster that takes over waits for an unchanged value: 5% longer than the nominal duration, for clocks that differ in speed.
 */
export const TAKEOVER_WAIT_MS = 15_750

/** How long a holder may write, counted from the time before it writes the value: 10% shorter than the nominal duration. */
export const LEASE_MS = 13_500

export const RENEW_LEASE_AFTER_MS = 5000

export interface FenceRecord {
  /** The random name of the holder's store. */
  readonly holder: string
  readonly epoch: number
  /** The index of the holder's newest record. */
  readonly index: number
  /** A random string, so that no value is written twice. */
  readonly nonce: string
  /** Whether the holder has stopped writing. */
  readonly released?: true
}

const MAX_RECORD_CHARACTERS = 1024

export const formatFenceRecord = (record: FenceRecord): string => JSON.stringify(record)

const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Returns undefined if the string is not a fence record. */
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
