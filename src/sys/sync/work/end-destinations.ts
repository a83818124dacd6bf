import type { Tx } from '../../../core/contract/tx.ts'
import { itemOf } from '../items.ts'
import { SYNC_DESTINATION } from '../records.ts'

/**
 * Called in the commit that removes a namespace. After that commit, no destination can be added to the namespace. A job removes its
 * destinations.
 */
export function endDestinations(tx: Tx, namespace: string): void {
  if (tx.listAbandoned(SYNC_DESTINATION, `${namespace}/`, 1).length > 0)
    tx.due('sync', itemOf('namespace', namespace), { to: tx.now })
}
