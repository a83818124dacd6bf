/** Changes associations together with their due items. */
import type { Tx } from '../../../core/contract/tx.ts'
import { putMount, storedMount } from '../../../core/mount/stored-mount.ts'
import { dropDestination } from '../destination/delete.ts'
import { itemOf } from '../items.ts'
import { dropOutbox } from '../outbox.ts'
import {
  type Association,
  EXTERNAL_NAME,
  readAssociationId,
  SYNC_ASSOCIATION,
  SYNC_DESTINATION,
  SYNCED_SECRET,
  type SyncedSecret,
  type SyncStatus,
  secretId,
} from '../records.ts'
import { nameId, withRowStatus } from './rows.ts'

/** Updates the due item, too. */
export function putAssociation(tx: Tx, id: string, association: Association): void {
  const before = tx.get(SYNC_ASSOCIATION, id)
  tx.put(SYNC_ASSOCIATION, id, association)
  tx.due('sync', itemOf('association', id), { from: before?.due, to: association.due })
}

/** Sets the status of all rows, and of the secret as a whole. */
export function withStatuses(association: Association, status: SyncStatus, now: number): Association {
  const own = association.status === status ? association : { ...association, status, updated: now }
  return { ...own, rows: own.rows.map((row) => (row.name === '' ? row : withRowStatus(row, status, now))) }
}

/** The desired state may have changed. The association becomes due now or, if a turn is in progress, after that turn. */
export function markChanged(tx: Tx, association: Association): Association {
  const { begun, due } = association
  return {
    ...withStatuses(association, 'PENDING', tx.now),
    seq: association.seq + 1,
    attempts: 0,
    due: begun && due !== undefined ? due : tx.now,
  }
}

/** From now on, no external secret is desired. */
export const markEnded = (tx: Tx, association: Association): Association => ({ ...markChanged(tx, association), gone: true })

/** Sorted ids of a secret's destinations. */
export const withDestination = (secret: SyncedSecret | undefined, destination: string): readonly string[] =>
  [...new Set([...(secret?.destinations ?? []), destination])].sort()

/** Called when nothing is left in the external store or the remaining secrets are abandoned. Other associations can then use the names. */
export function dropAssociation(tx: Tx, id: string, association: Association): void {
  const { destination, mount, path } = readAssociationId(id)
  for (const { name, fold } of association.rows) if (name !== '') tx.delete(EXTERNAL_NAME, nameId(destination, fold))
  tx.due('sync', itemOf('association', id), { from: tx.get(SYNC_ASSOCIATION, id)?.due })
  tx.delete(SYNC_ASSOCIATION, id)
  dropFromSecret(tx, { destination, mount, path })
  if (!tx.get(SYNC_DESTINATION, destination)?.ending) return
  // The list may still contain the association that this run deletes, so request two.
  if (tx.list(SYNC_ASSOCIATION, { prefix: `${destination}/`, limit: 2 }).length === 0) dropDestination(tx, destination)
}

function dropFromSecret(tx: Tx, { destination, mount, path }: ReturnType<typeof readAssociationId>): void {
  const secret = secretId({ mount, path })
  const others = (tx.get(SYNCED_SECRET, secret)?.destinations ?? []).filter((each) => each !== destination)
  if (others.length > 0) {
    tx.put(SYNCED_SECRET, secret, { destinations: others })
    return
  }
  tx.delete(SYNCED_SECRET, secret)
  dropOutbox(tx, secret)
  if (tx.list(SYNCED_SECRET, { prefix: `${mount}/`, limit: 2 }).length > 0) return
  const record = storedMount(tx, mount)
  if (!record?.synced) return
  const { synced: _, ...unmarked } = record
  putMount(tx, unmarked)
}
