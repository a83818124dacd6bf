/**
 * Values that a synchronous run of an operation throws to end the run. The request layer catches them and loads a record or code, or
 * runs the operation as a write. Users never receive them.
 */
import { CodeNotLoadedError } from '../base/deferred-code.ts'

/** A record must be loaded first. The transaction has recorded the key of the record. */
export const NEEDS_LOAD = Symbol('needs load')
/** A run that began as a read must write, so it has to run again as a write. */
export const NEEDS_WRITE = Symbol('needs write')

export const isSignal = (thrown: unknown): boolean =>
  thrown === NEEDS_LOAD || thrown === NEEDS_WRITE || thrown instanceof CodeNotLoadedError
