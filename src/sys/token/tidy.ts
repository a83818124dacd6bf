/** POST auth/token/tidy, as in Vault. */
import { operation } from '../../core/contract/operation.ts'

/**
 * A token, its records and its due item are written and removed in the same commits, so there is never anything to tidy. The operation
 * exists for clients that call it.
 */
export const tidyTokens = operation({
  kind: 'read',
  verb: 'POST',
  path: '/tidy',
  summary: 'Has no effect, because background work deletes expired tokens. Exists for clients that call it.',
  fields: {},
  returns: {},
  wire: () => ({ status: 202 }),
  run: (tx) => {
    tx.warn('Background work deletes tokens that have expired or were revoked; calling tidy is not needed.')
    return {}
  },
})
