import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { addJob, NAMESPACE_JOB } from '../jobs.ts'
import { consoleNamespaces } from '../mounts/for-consoles.ts'
import { clearNamespace } from './clear-namespace.ts'
import { createNamespace } from './create-namespace.ts'
import { deleteNamespace } from './delete-namespace.ts'
import type { Namespaces } from './generated/api.ts'
import { patchNamespace } from './patch-namespace.ts'
import { listNamespaces, readNamespace } from './read-namespaces.ts'

export const namespaceOperations = { createNamespace, readNamespace, listNamespaces, patchNamespace, deleteNamespace }

/** Operations that can be called only by path. */
const namespacePathOperations = { consoleNamespaces }

export type { Namespaces }

/** The facades of kernels with namespaces. */
export interface NamespacesFacades {
  /** The namespaces below the namespace of this view. */
  readonly namespaces: Namespaces
}

const PART = engineValue<NamespacesFacades>({
  part: 'namespaces',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: { ...namespaceOperations, ...namespacePathOperations },
  due: {},
  attach: ({ host, topology }: KernelInternals) => {
    topology.servesNamespaces = true
    addJob(host.env, NAMESPACE_JOB, clearNamespace)
  },
  facades: { namespaces: { path: 'sys/', operations: namespaceOperations } },
})

/** Namespaces: `sys/namespaces`, and the facade `kernel.namespaces`. */
export const namespaces = (): EngineValue<NamespacesFacades> => PART
