/** The limits for templates. */

export const MAX_TEMPLATE_CHARACTERS = 32_768

/** The maximum depth of nested blocks, and of the pipes and parentheses in an action. */
export const MAX_BLOCK_DEPTH = 100

/** The maximum length of the output and of every intermediate string. */
export const MAX_TEXT_BYTES = 4_096

/** The maximum number of work units that a run may use. Reading a byte takes about one unit. Using all units takes a few milliseconds. */
export const MAX_TEMPLATE_WORK = 65_536

/** The work units of a function call, in addition to the units for its operands. */
export const WORK_PER_CALL = 16
