/** Runs the engine of a mount on the mount's records, as part of a commit that also changes other records. */
import { APP } from '../contract/caller.ts'
import { ROOT_NAMESPACE } from '../contract/namespace.ts'
import type { Tx } from '../contract/tx.ts'
import { transactionOf } from '../transaction/transaction-of.ts'
import type { Mount } from './mount.ts'
import { TOPOLOGY } from './topology.ts'

/** Runs `ask` on the records of the mount, as a trusted call. The mount may be one that is being removed. */
export function runInMount<T>(tx: Tx, { record, keyspace: place }: Mount, ask: (tx: Tx) => T): T {
  const namespace = TOPOLOGY.of(tx).namespaces.byUuid(record.namespace) ?? ROOT_NAMESPACE
  const { tick } = tx.call
  const call = { caller: APP, mount: record, namespace, path: '', sudo: true, recheck: undefined, tick }
  return transactionOf(tx).within(place, call, ask)
}
