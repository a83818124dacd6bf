/** Decides whether a path is free for a mount or namespace, so that the decision still holds at the commit. */
import { LOCAL_MOUNT, MOUNT } from '../contract/mount-record.ts'
import { NAMESPACE } from '../contract/namespace.ts'
import type { Tx } from '../contract/tx.ts'
import { coreRecordKey } from '../transaction/core-key.ts'
import { transactionOf } from '../transaction/transaction-of.ts'
import type { MountTable } from './mount-table.ts'
import type { NamespaceTable } from './namespace-table.ts'
import { TOPOLOGY } from './topology.ts'

export interface GuardedTables {
  readonly namespaces: NamespaceTable
  readonly mounts: MountTable
  /** Called before an error names a mount or namespace. @throws KernelError an error without names, if the caller may not see it. */
  readonly checkVisible: (named: { readonly mount: string } | { readonly namespace: string }) => void
}

/**
 * The tables that a write may base decisions on. Listing makes the commit depend on the guards of their folders, which change with every
 * created or removed mount and namespace. The tables are read after the guards, so a change that they lack makes the commit conflict and
 * the write run again.
 */
export function guardedTables(tx: Tx): GuardedTables {
  const topology = TOPOLOGY.of(tx)
  tx.list(NAMESPACE, { limit: 1 })
  for (const kind of [MOUNT, LOCAL_MOUNT]) tx.list(kind, { limit: 1 })
  tx.once('topology', () => topology.reload(), 'attempt')
  const checkNamed: GuardedTables['checkVisible'] = (named) =>
    transactionOf(tx).draft.limits?.checkRead(
      'mount' in named ? coreRecordKey(MOUNT, named.mount) : coreRecordKey(NAMESPACE, named.namespace),
    )
  return { namespaces: topology.namespaces, mounts: topology.mounts, checkVisible: checkNamed }
}
