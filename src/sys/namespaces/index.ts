import { consoleNamespaces } from '../mounts/for-consoles.ts'
import { createNamespace } from './create-namespace.ts'
import { deleteNamespace } from './delete-namespace.ts'
import { patchNamespace } from './patch-namespace.ts'
import { listNamespaces, readNamespace } from './read-namespaces.ts'

export const namespaceOperations = { createNamespace, readNamespace, listNamespaces, patchNamespace, deleteNamespace }

/** Operations that can be called only by path. */
export const namespacePathOperations = { consoleNamespaces }
