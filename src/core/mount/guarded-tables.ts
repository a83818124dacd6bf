/** Tables for deciding whether a path is free for a mount or namespace. The commit fails if the decision is no longer true. */
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
  /**
   * Must be called before an error message names a mount or namespace.
   * @throws KernelError an error that does not contain the name, if the caller may not see the mount or namespace.
   */
  readonly checkVisible: (named: { readonly mount: string } | { readonly namespace: string }) => void
}

/**
 * Returns the tables on which a write may base a decision. Listing a folder makes the commit require the version of the folder's guard, a
 * record that changes with every mount or namespace that is created or removed. The tables are read after the guards. So if the tables lack
 * a change, the commit conflicts and the write runs again.
 */
export function guardedTables(tx: Tx): GuardedTables {
  const topology = TOPOLOGY.of(tx)
  tx.list(NAMESPACE, { limit: 1 })
  for (const kind of [MOUNT, LOCAL_MOUNT]) tx.list(kind, { limit: 1 })
  tx.once('topology', () => topology.reload(), 'attempt')
  const checkVisible: GuardedTables['checkVisible'] = (named) =>
    transactionOf(tx).draft.limits?.checkRead(
      'mount' in named ? coreRecordKey(MOUNT, named.mount) : coreRecordKey(NAMESPACE, named.namespace),
    )
  return { namespaces: topology.namespaces, mounts: topology.mounts, checkVisible }
}
