import { invalid } from '../base/errors.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'

/** @throws KernelError 400 if the operation is available only in the root namespace and the call is in another namespace. */
export function checkRootOnly(operation: AnyOperation | undefined, { path }: NamespaceRecord): void {
  if (operation?.rootOnly && path !== '') throw invalid('operation unavailable in namespaces')
}
