/** Limits of templates. */

export const MAX_TEMPLATE_CHARACTERS = 32_768

/** For nested blocks, and for the pipes and parentheses of one action. */
export const MAX_BLOCK_DEPTH = 100

/** For the output and for every intermediate text. */
export const MAX_TEXT_BYTES = 4_096

/** Work units of one run: one unit is about one byte read. In total a few milliseconds. */
export const MAX_TEMPLATE_WORK = 65_536

/** Work units of a call, in addition to those of its operands. */
export const WORK_PER_CALL = 16
