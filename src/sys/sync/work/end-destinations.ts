import type { Tx } from '../../../core/contract/tx.ts'
import { itemOf } from '../items.ts'
import { SYNC_DESTINATION } from '../records.ts'

/**
 * Schedules a job that removes all destinations of a namespace. Call this in the commit that deletes the namespace: after that commit, no
 * destination can be added to it.
 */
export function endDestinations(tx: Tx, namespace: string): void {
  if (tx.listAbandoned(SYNC_DESTINATION, `${namespace}/`, 1).length > 0)
    tx.due('sync', itemOf('namespace', namespace), { to: tx.now })
}
