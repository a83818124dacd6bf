/**
 * What a template may come to.
 */

/** Characters of a template. */
export const LONGEST_TEMPLATE = 32_768

/** How deep blocks stand within each other, and how many pipes and parentheses an action has. */
export const DEEPEST = 100

/** Bytes of the result and of every text on the way to it. */
export const LONGEST_TEXT = 4_096

/** What one run may cost: about the bytes looked at, a few milliseconds in all. */
export const MOST_WORK = 65_536

/** What a call costs beside its operands. */
export const CALL_WORK = 16
