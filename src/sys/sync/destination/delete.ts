import { inUse } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { itemOf } from '../items.ts'
import { destinationId, readDestinationId, SYNC_ASSOCIATION, SYNC_DESTINATION } from '../records.ts'
import { TYPE_IN_PATH } from '../types.ts'
import { dropJobCursor, scheduleDestinationJob } from '../work/job-cursor.ts'
import { sessionsOf } from '../work/sessions.ts'
import { DESTINATION_NAME, DESTINATION_TYPE } from './fields.ts'

/** Deletes a destination. The destination must not have associations any more. */
export function dropDestination(tx: Tx, id: string): void {
  const { namespace, type, name } = readDestinationId(id)
  tx.delete(SYNC_DESTINATION, id)
  dropJobCursor(tx, itemOf('destination', id))
  sessionsOf(tx.env).closeSession(id)
  const place = { namespace: TOPOLOGY.of(tx).namespaces.byUuid(namespace)?.path ?? '', mount: tx.call.mount.path }
  tx.event('sync_destination.deleted', { destination: `${type}/${name}` }, place)
}

/**
 * @throws KernelError 400 if the type of external store is unknown, or if the destination has associations and neither `purge` nor
 *   `force_delete` is given.
 */
export const deleteDestination = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/sync/destinations/:type/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Deletes a destination. Succeeds even if the destination does not exist.',
  fields: {
    type: DESTINATION_TYPE,
    name: DESTINATION_NAME,
    purge: f
      .bool(
        'Whether to delete a destination that still has associations. Background work first removes the pushed secrets and the associations, and then deletes the destination.',
      )
      .default(false),
    force_delete: f
      .bool(
        'Like `purge`, but does not wait for external secrets that cannot be removed, for example because the credentials are no longer valid. They stay in the external store.',
      )
      .default(false),
  },
  returns: {},
  run: (tx, { type, name, purge, force_delete }) => {
    const id = destinationId({ namespace: tx.call.namespace.uuid, type, name })
    const found = tx.get(SYNC_DESTINATION, id)
    if (!found) return undefined
    if (tx.list(SYNC_ASSOCIATION, { prefix: `${id}/`, limit: 1 }).length === 0) {
      dropDestination(tx, id)
      return undefined
    }
    if (!purge && !force_delete) throw inUse('name: the destination still has associations; remove them first, or set `purge`')
    tx.put(SYNC_DESTINATION, id, { ...found, ending: force_delete ? 'force' : (found.ending ?? 'purge') })
    scheduleDestinationJob(tx, id, 'end')
    return undefined
  },
})
