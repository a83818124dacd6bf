/** Publishes events when a synchronization has changed the status of an association. */
import type { Tx } from '../../../core/contract/tx.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { shownRows, statusName } from '../association/shown.ts'
import { type Association, readAssociationId, readDestinationId, type SyncStatus } from '../records.ts'

type SettledStatus = Exclude<SyncStatus, 'PENDING'>

/** All statuses, from the worst to the best. An association has the worst status of its rows. */
const STATUSES_WORST_FIRST: readonly SyncStatus[] = [
  'INTERNAL_ERROR',
  'CLIENT_SIDE_ERROR',
  'EXTERNAL_SERVICE_ERROR',
  'PENDING',
  'SYNCED',
  'UNSYNCED',
]

export function worstOf(association: Association): SyncStatus {
  const all = shownRows(association).map(({ status }) => status)
  return STATUSES_WORST_FIRST.find((status) => all.includes(status)) ?? 'PENDING'
}

export function emitStatusChange(tx: Tx, id: string, before: Association, after: Association): void {
  const status = worstOf(after)
  if (status === 'PENDING') return
  if (status.endsWith('_ERROR') && status === worstOf(before)) return
  emitStatusEvent(tx, id, status as SettledStatus)
}

function emitStatusEvent(tx: Tx, id: string, status: SettledStatus): void {
  const { destination: at, mount, path: secret_name } = readAssociationId(id)
  const { namespace, type, name } = readDestinationId(at)
  const topology = TOPOLOGY.of(tx)
  const place = {
    namespace: topology.namespaces.byUuid(namespace)?.path ?? '',
    mount: topology.holder(mount)?.record.path ?? '',
  }
  const event = { destination: `${type}/${name}`, secret_name }
  if (status === 'SYNCED') tx.event('sync.synced', event, place)
  else if (status === 'UNSYNCED') tx.event('sync.unsynced', event, place)
  else tx.event('sync.failed', { ...event, status: statusName(tx, status) }, place)
}
