/**
 * What a template may come to.
 */

/** Characters of a template. */
export const MAX_TEMPLATE_CHARACTERS = 32_768

/** How deep blocks stand within each other, and how many pipes and parentheses an action has. */
export const MAX_BLOCK_DEPTH = 100

/** Bytes of the result and of every text on the way to it. */
export const MAX_TEXT_BYTES = 4_096

/** What one run may cost: about the bytes looked at, a few milliseconds in all. */
export const MAX_TEMPLATE_WORK = 65_536

/** What a call costs beside its operands. */
export const WORK_PER_CALL = 16
