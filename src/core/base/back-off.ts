/**
 * How long failed work waits until it is tried again.
 */

const FIRST_MS = 10_000

/** Milliseconds; no wait is longer. */
export const LONGEST_BACK_OFF_MS = 3_600_000

/** Milliseconds: 10 seconds after the first attempt, twice as long after each further one, at most an hour. */
export const backOffAfter = (attempts: number): number => Math.min(FIRST_MS * 2 ** (attempts - 1), LONGEST_BACK_OFF_MS)
