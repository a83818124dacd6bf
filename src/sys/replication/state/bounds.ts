/**
 * The largest epochs and indexes that a message may contain.
 *
 * The limits grow with the receiver's clock. With a fixed limit, one forged message could move a set to the limit, where no further epoch
 * or index would be possible. No set begins more than one epoch per second for long, or writes more than 1,024 records per millisecond.
 */

/** The largest step from one epoch to the next in a history. Abandoned promotions leave gaps. */
export const MAX_EPOCH_STEP = 1000

/** Histories with more epochs lose their oldest ones at a promotion. */
export const MAX_EPOCHS = 1000

/** Accepted regardless of the clock. */
const MIN_EPOCH_BOUND = 2 ** 20

const MIN_INDEX_BOUND = 2 ** 40

/** The log stores epochs in 32 bits, and later promotions need room. */
const EPOCH_CEILING = 2 ** 32 - 2 ** 20

const INDEX_CEILING = 2 ** 53 - 2 ** 40

const INDEXES_PER_MS = 1024

/** @param now Milliseconds. If it is not a finite number, the smallest limit applies. */
const bounded = (now: number, each: number, [least, ceiling]: readonly [number, number]): number =>
  Number.isFinite(now) ? Math.min(ceiling, Math.max(least, Math.floor(now * each))) : least

export const maxEpochAt = (now: number): number => bounded(now, 1 / 1000, [MIN_EPOCH_BOUND, EPOCH_CEILING])

export const maxIndexAt = (now: number): number => bounded(now, INDEXES_PER_MS, [MIN_INDEX_BOUND, INDEX_CEILING])
