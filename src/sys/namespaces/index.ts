/** Namespaces: the tree below the one that asks. Room: sys. Imported by the system engine and the composition root. */
import { createNamespace } from './create-namespace.ts'
import { deleteNamespace } from './delete-namespace.ts'
import { patchNamespace } from './patch-namespace.ts'
import { listNamespaces, readNamespace } from './read-namespaces.ts'

export const namespaceOperations = { createNamespace, readNamespace, listNamespaces, patchNamespace, deleteNamespace }
