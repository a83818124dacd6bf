/**
 * How a synchronous run tells the request layer what it lacks. Never seen by users.
 */

/** Something has to be loaded first; what, the transaction has noted. */
export const NEEDS_LOAD = Symbol('needs load')
/** A run that began as a read wants to write. */
export const NEEDS_WRITE = Symbol('needs write')

export const isSignal = (thrown: unknown): boolean => thrown === NEEDS_LOAD || thrown === NEEDS_WRITE
