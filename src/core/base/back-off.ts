/**
 * The delay before failed work is tried again.
 */

const FIRST_MS = 10_000

/** Maximum delay in milliseconds. */
export const MAX_BACK_OFF_MS = 3_600_000

/** The delay in milliseconds: 10 seconds after the first attempt, doubled after each further one, at most an hour. */
export const backOffAfter = (attempts: number): number => Math.min(FIRST_MS * 2 ** (attempts - 1), MAX_BACK_OFF_MS)
