/**
 * The outbox: secrets that have changed, in the commits that change them. Values are not in it: whatever lives when it is read is what is wanted.
 */
import type { Changes } from '../../core/contract/live-secrets.ts'
import { ROOT_NAMESPACE } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { CORE } from '../../core/transaction/core-key.ts'
import { transactionOf } from '../../core/transaction/crossing.ts'
import { dueKey } from '../../core/transaction/due-entry.ts'
import { canLieAt } from '../../core/transaction/keys.ts'
import { itemOf } from './items.ts'
import { OUTBOX, SECRET, secretId } from './records.ts'

/** Of every kernel, so that one without secret sync leaves the work to those that have it. */
export const SYNC_CHANGES: Changes = {
  changed: (tx, path) => amongCore(tx, (core) => noteChange(core, secretId({ mount: tx.call.mount.uuid, path }))),
  ended: (tx, { uuid }) => amongCore(tx, (core) => core.due('sync', itemOf('mount', uuid), { to: core.now })),
}

/** Runs `body` on the kernel's own records, in the same commit. */
export function amongCore<T>(tx: Tx, body: (core: Tx) => T): T {
  return transactionOf(tx).within(TOPOLOGY.of(tx).corePlace(ROOT_NAMESPACE), tx.call, body)
}

function noteChange(tx: Tx, secret: string): void {
  // A path that is too long for this record is too long for an association.
  if (!canLieAt(dueKey('r', 'sync', tx.now, CORE, itemOf('secret', secret)))) return
  if (tx.get(SECRET, secret)) putOutbox(tx, secret, tx.now)
}

/** Counts a change; due no later than `at`. */
export function putOutbox(tx: Tx, secret: string, at: number): void {
  const known = tx.get(OUTBOX, secret)
  const due = Math.min(known?.due ?? at, at)
  tx.put(OUTBOX, secret, { seq: (known?.seq ?? 0) + 1, due })
  tx.due('sync', itemOf('secret', secret), { from: known?.due, to: due })
}

/** What is live now deletes itself at `at`, which is no change before. */
export function scheduleChange(tx: Tx, secret: string, at: number): void {
  const known = tx.get(OUTBOX, secret)
  if (known && known.due <= at) return
  tx.put(OUTBOX, secret, { seq: known?.seq ?? 0, due: at })
  tx.due('sync', itemOf('secret', secret), { from: known?.due, to: at })
}

export function dropOutbox(tx: Tx, secret: string): void {
  const known = tx.get(OUTBOX, secret)
  if (!known) return
  tx.delete(OUTBOX, secret)
  tx.due('sync', itemOf('secret', secret), { from: known.due })
}
