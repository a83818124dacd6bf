/** Thrown by a synchronous run to tell the request layer what it needs. Never visible to users. */

/** A record must be loaded first. The transaction has noted which. */
export const NEEDS_LOAD = Symbol('needs load')
/** A run that began as a read wants to write. */
export const NEEDS_WRITE = Symbol('needs write')

export const isSignal = (thrown: unknown): boolean => thrown === NEEDS_LOAD || thrown === NEEDS_WRITE
