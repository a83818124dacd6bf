/**
 * Signals by which a synchronous run tells the request layer what it lacks. Users never see them.
 */

/** Something has to be loaded first; the transaction has noted what. */
export const NEEDS_LOAD = Symbol('needs load')
/** A run that began as a read wants to write. */
export const NEEDS_WRITE = Symbol('needs write')

export const isSignal = (thrown: unknown): boolean => thrown === NEEDS_LOAD || thrown === NEEDS_WRITE
