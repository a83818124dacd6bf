/**
 * The largest epochs and indexes that a message may assert.
 *
 * They grow with the receiver's clock, because a fixed bound would end the set: a cluster that was made to believe the bound itself could not go on
 * from there. No set begins more than one epoch in a second for long, or writes more than 1,024 records in a millisecond.
 */

/** From one epoch of a history to the next: promotions that were given up leave gaps. */
export const MAX_EPOCH_STEP = 1000

/** A promotion drops the oldest epochs of a longer history. */
export const MAX_EPOCHS = 1000

/** Accepted whatever the clock says. */
const MIN_EPOCH_BOUND = 2 ** 20

const MIN_INDEX_BOUND = 2 ** 40

/** The log stores an epoch in 32 bits, and promotions that follow need room. */
const EPOCH_CEILING = 2 ** 32 - 2 ** 20

const INDEX_CEILING = 2 ** 53 - 2 ** 40

const INDEXES_PER_MS = 1024

/** @param now Milliseconds. A time that is no finite number gives the least bound. */
const bounded = (now: number, each: number, [least, ceiling]: readonly [number, number]): number =>
  Number.isFinite(now) ? Math.min(ceiling, Math.max(least, Math.floor(now * each))) : least

export const maxEpochAt = (now: number): number => bounded(now, 1 / 1000, [MIN_EPOCH_BOUND, EPOCH_CEILING])

export const maxIndexAt = (now: number): number => bounded(now, INDEXES_PER_MS, [MIN_INDEX_BOUND, INDEX_CEILING])
