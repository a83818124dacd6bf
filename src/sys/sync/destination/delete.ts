/**
 * DELETE destinations/:type/:name (spec document 2, "Secret sync").
 */
import { inUse } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { itemOf } from '../items.ts'
import { ASSOCIATION, DESTINATION, destinationId, readDestinationId } from '../records.ts'
import { TYPE_IN_PATH } from '../types.ts'
import { Sessions } from '../work/sessions.ts'
import { dropWalk, scheduleWalk } from '../work/walk.ts'
import { NAME, TYPE } from './fields.ts'

/** Of a destination without associations. */
export function dropDestination(tx: Tx, id: string): void {
  const { namespace, type, name } = readDestinationId(id)
  tx.delete(DESTINATION, id)
  dropWalk(tx, itemOf('destination', id))
  Sessions.of(tx.env).forget(id)
  const place = { namespace: TOPOLOGY.of(tx).namespaces.byUuid(namespace)?.path ?? '', mount: tx.call.mount.path }
  tx.event('sync_destination.deleted', { destination: `${type}/${name}` }, place)
}

export const deleteDestination = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/sync/destinations/:type/:name',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Deletes a destination. Whether it was there does not matter.',
  fields: {
    type: TYPE,
    name: NAME,
    purge: f
      .bool('Ends its associations first, in the background: what was pushed is removed, then the destination.')
      .default(false),
    force_delete: f
      .bool('The same, and what the store does not remove is left behind there, such as where the store is gone.')
      .default(false),
  },
  returns: {},
  run: (tx, { type, name, purge, force_delete }) => {
    const id = destinationId({ namespace: tx.call.namespace.uuid, type, name })
    const found = tx.get(DESTINATION, id)
    if (!found) return undefined
    if (tx.list(ASSOCIATION, { prefix: `${id}/`, limit: 1 }).length === 0) {
      dropDestination(tx, id)
      return undefined
    }
    if (!purge && !force_delete)
      throw inUse('name: the destination still manages associations; remove them first, or ask for `purge`')
    tx.put(DESTINATION, id, { ...found, ending: force_delete ? 'force' : (found.ending ?? 'purge') })
    scheduleWalk(tx, id, 'end')
    return undefined
  },
})
