import { invalid } from '../base/errors.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'

/** @throws KernelError 400 for an operation of the root namespace that is called in another one. */
export function checkRootOnly(operation: AnyOperation | undefined, { path }: NamespaceRecord): void {
  if (operation?.rootOnly && path !== '') throw invalid('operation unavailable in namespaces')
}
