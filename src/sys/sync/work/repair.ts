/**
 * Schedules another push or removal after a call to the external store that ended too late. Such a call may have replaced a newer value, or
 * have restored a removed secret.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import {
  EXTERNAL_NAME,
  readAssociationId,
  SYNC_ASSOCIATION,
  SYNC_DESTINATION,
  SYNCED_SECRET,
  type SyncRow,
  secretId,
} from '../records.ts'
import { markChanged, newAssociation, putAssociation, withDestination } from './associations.ts'
import { nameId } from './rows.ts'

/** @param rows The rows of the external secrets that the late call may have changed. */
export function repair(tx: Tx, id: string, accessor: string, rows: readonly SyncRow[]): void {
  const name = readAssociationId(id)
  const destination = tx.get(SYNC_DESTINATION, name.destination)
  if (!destination) return
  for (const row of rows) {
    const owner = tx.get(EXTERNAL_NAME, nameId(name.destination, row.fold))?.association
    const association = owner === undefined ? undefined : tx.get(SYNC_ASSOCIATION, owner)
    if (owner !== undefined && association) putAssociation(tx, owner, { ...markChanged(tx, association), force: true })
    else scheduleRemoval(tx, id, accessor, row)
  }
}

/** Schedules a removal for a name that no association owns. Until the removal is done, this association owns the name again. */
function scheduleRemoval(tx: Tx, id: string, accessor: string, row: SyncRow): void {
  const { destination, mount, path } = readAssociationId(id)
  const known = tx.get(SYNC_ASSOCIATION, id)
  const { name, fold, claimed } = row
  const left: SyncRow = {
    ...{ name, fold, gone: true, status: 'PENDING', updated: tx.now, turn: 0 },
    ...(claimed === undefined ? {} : { claimed }),
  }
  tx.put(EXTERNAL_NAME, nameId(destination, row.fold), { association: id })
  if (known) {
    putAssociation(tx, id, { ...markChanged(tx, known), force: true, rows: [...known.rows, left] })
    return
  }
  const secret = secretId({ mount, path })
  tx.put(SYNCED_SECRET, secret, { destinations: withDestination(tx.get(SYNCED_SECRET, secret), destination) })
  putAssociation(tx, id, { ...newAssociation(tx, accessor), gone: true, force: true, due: tx.now, rows: [left] })
}
