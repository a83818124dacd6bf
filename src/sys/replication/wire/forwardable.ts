/**
 * Which operations a secondary may have its primary run.
 */
import { type AnyOperation, OPERATION_KINDS } from '../../../core/contract/operation.ts'

/** Whether a primary runs an operation for a secondary at all: by its definition alone. */
export const isForwardable = (operation: AnyOperation): boolean => {
  const { forwardable, kind, rootOnly, unauthenticated, inAnyState: always, runsInNamespaceOf: follows } = operation
  if (forwardable !== true || OPERATION_KINDS[kind].access === 'read') return false
  return !(rootOnly || unauthenticated || always || follows || (!operation.batch && operation.control))
}
