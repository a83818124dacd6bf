/**
 * The one answer of a dead key object.
 */

/** What a key throws from every call after `wipe()`: misuse, so a TypeError, and never a result computed under zeros. */
export const keyWipedError = (): TypeError => new TypeError('this key has been wiped')
