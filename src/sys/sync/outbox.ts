/**
 * The outbox: the list of changed secrets. The commit that changes a secret also writes the outbox entry. An entry does not contain the
 * secret's value, because each synchronization of an association reads and pushes the current version.
 */
import type { SecretChangeListener } from '../../core/contract/live-secrets.ts'
import { ROOT_NAMESPACE } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { CORE } from '../../core/transaction/core-key.ts'
import { dueKey } from '../../core/transaction/due-entry.ts'
import { isPossibleKey } from '../../core/transaction/keys.ts'
import { transactionOf } from '../../core/transaction/transaction-of.ts'
import { itemOf } from './items.ts'
import { SYNC_OUTBOX, SYNCED_SECRET, secretId } from './records.ts'

/** Installed in every kernel. A kernel without secret sync only writes the entries, which other kernels on the same store then process. */
export const SYNC_CHANGES: SecretChangeListener = {
  onChange: (tx, path) => inCoreKeyspace(tx, (core) => recordChange(core, secretId({ mount: tx.call.mount.uuid, path }))),
  onUnmount: (tx, { uuid }) => inCoreKeyspace(tx, (core) => core.due('sync', itemOf('mount', uuid), { to: core.now })),
}

/** Runs `body` on the kernel's own records, as a part of the transaction that changes the secret. */
export function inCoreKeyspace<T>(tx: Tx, body: (core: Tx) => T): T {
  return transactionOf(tx).within(TOPOLOGY.of(tx).coreKeyspace(ROOT_NAMESPACE), tx.call, body)
}

function recordChange(tx: Tx, secret: string): void {
  // If the path is too long for the storage key of the due item, write nothing: it is also too long for the storage keys of associations, so
  // the secret has none.
  if (!isPossibleKey(dueKey('r', 'sync', tx.now, CORE, itemOf('secret', secret)))) return
  if (tx.get(SYNCED_SECRET, secret)) putOutbox(tx, secret, tx.now)
}

/** Counts a change of the secret. The outbox entry is processed at the time `at`, unless it was already scheduled for an earlier time. */
function putOutbox(tx: Tx, secret: string, at: number): void {
  const known = tx.get(SYNC_OUTBOX, secret)
  const due = Math.min(known?.due ?? at, at)
  tx.put(SYNC_OUTBOX, secret, { seq: (known?.seq ?? 0) + 1, due })
  tx.due('sync', itemOf('secret', secret), { from: known?.due, to: due })
}

/**
 * Schedules the processing of the outbox entry for the time `at`, when the current version will expire. Counts no change, because nothing
 * has changed yet.
 */
export function scheduleChange(tx: Tx, secret: string, at: number): void {
  const known = tx.get(SYNC_OUTBOX, secret)
  if (known && known.due <= at) return
  tx.put(SYNC_OUTBOX, secret, { seq: known?.seq ?? 0, due: at })
  tx.due('sync', itemOf('secret', secret), { from: known?.due, to: at })
}

export function dropOutbox(tx: Tx, secret: string): void {
  const known = tx.get(SYNC_OUTBOX, secret)
  if (!known) return
  tx.delete(SYNC_OUTBOX, secret)
  tx.due('sync', itemOf('secret', secret), { from: known.due })
}
