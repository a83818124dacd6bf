/** Decides which operations a secondary may forward to its primary. */
import { type AnyOperation, OPERATION_KINDS } from '../../../core/contract/operation.ts'

/**
 * Whether a primary runs an operation for secondaries. The decision depends only on the definition of the operation, not on the request.
 */
export const isForwardable = (operation: AnyOperation): boolean => {
  const { forwardable, kind, rootOnly, unauthenticated, inAnyState: always, runsInNamespaceOf: follows } = operation
  if (forwardable !== true || OPERATION_KINDS[kind].access === 'read') return false
  return !(rootOnly || unauthenticated || always || follows || (!operation.batch && operation.control))
}
