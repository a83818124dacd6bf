/**
 * Writes, marks and deletes associations. Each write or deletion also updates the scheduled time of the association's next turn, which is
 * one synchronization.
 */
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

export const newAssociation = (tx: Tx, accessor: string): Association => ({
  accessor,
  granularity: 'secret-path',
  template: '',
  seq: 0,
  // The epoch must differ from the epoch of an earlier association with the same id, so use the current time.
  epoch: tx.now,
  attempts: 0,
  status: 'PENDING',
  updated: tx.now,
  rows: [],
})

/** Writes the association, and schedules its next synchronization for `association.due`. */
export function putAssociation(tx: Tx, id: string, association: Association): void {
  const before = tx.get(SYNC_ASSOCIATION, id)
  tx.put(SYNC_ASSOCIATION, id, association)
  tx.due('sync', itemOf('association', id), { from: before?.due, to: association.due })
}

/** Sets the status of the association and of all its rows, except the rows that have no external name. */
export function withStatuses(association: Association, status: SyncStatus, now: number): Association {
  const own = association.status === status ? association : { ...association, status, updated: now }
  return { ...own, rows: own.rows.map((row) => (row.name === '' ? row : withRowStatus(row, status, now))) }
}

/**
 * Returns the association with a scheduled synchronization, because the desired state may have changed. If a synchronization is in
 * progress, the new one is scheduled for the time after it.
 */
export function markChanged(tx: Tx, association: Association): Association {
  const { begun, due } = association
  return {
    ...withStatuses(association, 'PENDING', tx.now),
    seq: association.seq + 1,
    attempts: 0,
    due: begun && due !== undefined ? due : tx.now,
  }
}

/** Returns the association with a scheduled synchronization that removes all its external secrets. */
export const markEnded = (tx: Tx, association: Association): Association => ({ ...markChanged(tx, association), gone: true })

/** Returns the sorted ids of a secret's destinations, including the given one. */
export const withDestination = (secret: SyncedSecret | undefined, destination: string): readonly string[] =>
  [...new Set([...(secret?.destinations ?? []), destination])].sort()

/**
 * Deletes an association that has no external secrets, or whose external secrets are abandoned. Other associations can use the names
 * afterwards. If the destination is being removed and this was its last association, the destination is deleted, too.
 */
export function dropAssociation(tx: Tx, id: string, association: Association): void {
  const { destination, mount, path } = readAssociationId(id)
  for (const { name, fold } of association.rows) if (name !== '') tx.delete(EXTERNAL_NAME, nameId(destination, fold))
  tx.due('sync', itemOf('association', id), { from: tx.get(SYNC_ASSOCIATION, id)?.due })
  tx.delete(SYNC_ASSOCIATION, id)
  dropFromSecret(tx, { destination, mount, path })
  if (!tx.get(SYNC_DESTINATION, destination)?.ending) return
  // Request two associations: the stored page can still contain the one that was just deleted, which `list` then removes. With a limit of 1,
  // the result could be empty although other associations exist.
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
