/** Jobs of secret sync that only change records and do not call external stores. Each commit changes a limited number of records. */
import type { Tx } from '../../../core/contract/tx.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import { dropDestination } from '../destination/delete.ts'
import { itemOf } from '../items.ts'
import { dropOutbox } from '../outbox.ts'
import {
  type Association,
  associationId,
  JOB_CURSOR,
  SYNC_ASSOCIATION,
  SYNC_DESTINATION,
  SYNC_OUTBOX,
  SYNCED_SECRET,
} from '../records.ts'
import { markChanged, markEnded, putAssociation } from './associations.ts'
import { dropJobCursor, putJobCursor, scheduleDestinationJob } from './job-cursor.ts'

/**
 * The maximum number of associations per commit. For each, the commit reads and writes the association and changes the scheduled time of
 * its next turn.
 */
const PER_COMMIT = 24

/** Schedules a synchronization of each association of a changed secret. If there are more than `PER_COMMIT`, another commit continues. */
export function markAssociationsChanged(tx: Tx, secret: string): void {
  const outbox = tx.get(SYNC_OUTBOX, secret)
  if (!outbox) return
  if (tx.now < outbox.due) {
    tx.due('sync', itemOf('secret', secret), { to: outbox.due })
    return
  }
  const left = remaining(tx.get(SYNCED_SECRET, secret)?.destinations, outbox.told)
  const now = left.slice(0, PER_COMMIT)
  const ids = now.map((destination) => `${destination}/${secret}`)
  updateAssociations(tx, ids, (association) => (association.gone ? association : markChanged(tx, association)))
  const told = now.at(-1)
  if (told === undefined || left.length <= PER_COMMIT) {
    dropOutbox(tx, secret)
    return
  }
  tx.put(SYNC_OUTBOX, secret, { ...outbox, due: tx.now, told })
  tx.due('sync', itemOf('secret', secret), { from: outbox.due, to: tx.now })
}

/**
 * Returns the destinations after the last handled one. Compares ids, because the list may change between two commits of the job.
 */
const remaining = (destinations: readonly string[] = [], told = ''): readonly string[] =>
  destinations.filter((each) => each > told)

function updateAssociations(tx: Tx, ids: readonly string[], to: (association: Association) => Association): void {
  const found = loadAll(ids, (id) => tx.get(SYNC_ASSOCIATION, id))
  ids.forEach((id, index) => {
    const association = found[index]
    const after = association && to(association)
    if (after && after !== association) putAssociation(tx, id, after)
  })
}

const hasFailed = ({ rows }: Association): boolean => rows.some(({ status }) => status.endsWith('_ERROR'))

/** Handles the next `PER_COMMIT` associations of a destination, in the mode that `scheduleDestinationJob` has stored. */
export function stepDestinationJob(tx: Tx, destination: string): void {
  const item = itemOf('destination', destination)
  const walk = tx.get(JOB_CURSOR, item)
  if (!walk) return
  const names = tx.listAbandoned(SYNC_ASSOCIATION, `${destination}/`, PER_COMMIT, walk.after || undefined)
  const ids = names.map((name) => `${destination}/${name}`)
  updateAssociations(tx, ids, (association) => {
    if (walk.mode === 'end') return association.gone && !hasFailed(association) ? association : markEnded(tx, association)
    if (walk.mode === 'all') return { ...markChanged(tx, association), force: true }
    return hasFailed(association) ? markChanged(tx, association) : association
  })
  const last = names.at(-1)
  if (last !== undefined && names.length === PER_COMMIT) {
    putJobCursor(tx, item, { ...walk, after: last, due: tx.now })
    return
  }
  dropJobCursor(tx, item)
  const isEnding = tx.get(SYNC_DESTINATION, destination)?.ending !== undefined
  if (isEnding && tx.list(SYNC_ASSOCIATION, { prefix: `${destination}/`, limit: 1 }).length === 0)
    dropDestination(tx, destination)
}

/** Removes the associations of a disabled mount. No association can be added to it concurrently. */
export function endMount(tx: Tx, mount: string): void {
  const item = itemOf('mount', mount)
  let { after = '', told = '' } = tx.get(JOB_CURSOR, item) ?? {}
  const paths = tx.listAbandoned(SYNCED_SECRET, `${mount}/`, PER_COMMIT, after || undefined)
  const secrets = loadAll(paths, (path) => tx.get(SYNCED_SECRET, `${mount}/${path}`))
  const ids: string[] = []
  for (const [index, path] of paths.entries()) {
    const left = remaining(secrets[index]?.destinations, told)
    const now = left.slice(0, PER_COMMIT - ids.length)
    ids.push(...now.map((destination) => associationId({ destination, mount, path })))
    if (now.length < left.length) {
      told = now.at(-1) ?? told
      break
    }
    after = path
    told = ''
  }
  updateAssociations(tx, ids, (association) => (association.gone ? association : markEnded(tx, association)))
  const isDone = paths.length < PER_COMMIT && after === (paths.at(-1) ?? after) && told === ''
  if (isDone) dropJobCursor(tx, item)
  else putJobCursor(tx, item, { mode: 'end', after, told, due: tx.now })
}

/** Starts the removal of all destinations of a deleted namespace, and of the secrets that were pushed to them. */
export function endNamespace(tx: Tx, namespace: string): void {
  const item = itemOf('namespace', namespace)
  const after = tx.get(JOB_CURSOR, item)?.after
  const names = tx.listAbandoned(SYNC_DESTINATION, `${namespace}/`, PER_COMMIT, after || undefined)
  const ids = names.map((name) => `${namespace}/${name}`)
  const found = loadAll(ids, (id) => tx.get(SYNC_DESTINATION, id))
  ids.forEach((id, index) => {
    const destination = found[index]
    if (!destination) return
    tx.put(SYNC_DESTINATION, id, { ...destination, ending: 'namespace' })
    scheduleDestinationJob(tx, id, 'end')
  })
  const last = names.at(-1)
  if (last === undefined || names.length < PER_COMMIT) dropJobCursor(tx, item)
  else putJobCursor(tx, item, { mode: 'end', after: last, due: tx.now })
}
