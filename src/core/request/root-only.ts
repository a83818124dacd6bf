/** What belongs to the kernel as a whole is asked of the root namespace. Room: core/request. Imported by both views. */
import { invalid } from '../errors.ts'
import type { NamespaceRecord } from '../namespace/namespace.ts'
import type { AnyOperation } from '../operation/operation.ts'

/** @throws KernelError 400 elsewhere. */
export function checkRootOnly(operation: AnyOperation | undefined, { path }: NamespaceRecord): void {
  if (operation?.rootOnly && path !== '') throw invalid('operation unavailable in namespaces')
}
