/** POST sys/leases/tidy, as in Vault. */
import { operation } from '../../core/contract/operation.ts'

/**
 * A lease, its indexes and the scheduled work that revokes it are written and removed in the same commits, so there is never anything to
 * tidy. The operation exists for clients that call it.
 * @throws no errors of its own.
 */
export const tidyLeases = operation({
  kind: 'read',
  verb: 'POST',
  path: '/leases/tidy',
  summary: 'Has no effect, because background work deletes expired leases. Exists for clients that call it.',
  fields: {},
  returns: {},
  wire: () => ({ status: 202 }),
  run: (tx) => {
    tx.warn('Background work deletes leases that have expired or were revoked; calling tidy is not needed.')
    return {}
  },
})
