/**
 * Limits for the epochs and indexes in messages of other clusters.
 *
 * The limits grow with the receiver's clock. With a fixed limit, one forged message could move a set to the limit, where no further epoch
 * or index would be possible. Real sets stay below the limits: averaged over the time since 1970, no set begins one epoch per second or
 * writes 1,024 records per millisecond.
 */

/**
 * The largest difference between two successive epochs in a history. Epoch numbers are not contiguous, because an abandoned promotion uses
 * up a number.
 */
export const MAX_EPOCH_STEP = 1000

/** The maximum number of epochs in a history. A promotion removes the oldest epochs beyond this number. */
export const MAX_EPOCHS = 1000

/** Epochs up to this number are accepted regardless of the clock. */
const MIN_EPOCH_BOUND = 2 ** 20

const MIN_INDEX_BOUND = 2 ** 40

/**
 * The highest epoch that is ever accepted. The log stores epochs in 32 bits, and the distance to the largest number leaves room for later
 * promotions.
 */
const EPOCH_CEILING = 2 ** 32 - 2 ** 20

const INDEX_CEILING = 2 ** 53 - 2 ** 40

const INDEXES_PER_MS = 1024

/** @param now Milliseconds since 1970. If it is not a finite number, the smallest limit applies. */
const bounded = (now: number, each: number, [least, ceiling]: readonly [number, number]): number =>
  Number.isFinite(now) ? Math.min(ceiling, Math.max(least, Math.floor(now * each))) : least

export const maxEpochAt = (now: number): number => bounded(now, 1 / 1000, [MIN_EPOCH_BOUND, EPOCH_CEILING])

export const maxIndexAt = (now: number): number => bounded(now, INDEXES_PER_MS, [MIN_INDEX_BOUND, INDEX_CEILING])
