/** POST sys/leases/tidy (source: behaviour of the originals). */
import { operation } from '../../core/contract/operation.ts'

/**
 * A lease, its indexes and its due time are written and removed in the same commits, and it is due when its token ends: nothing
 * is ever lost, so there is nothing to tidy. The operation exists for clients that call it.
 */
export const tidyLeases = operation({
  kind: 'read',
  verb: 'POST',
  path: '/leases/tidy',
  summary: 'Starts nothing: leases that ended are cleared away by the background work anyway.',
  fields: {},
  returns: {},
  wire: () => ({ status: 202 }),
  run: (tx) => {
    tx.warn('Leases that have expired or were revoked are cleared away in the background, whether or not this is asked for.')
    return {}
  },
})
