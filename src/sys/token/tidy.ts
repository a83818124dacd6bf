/** POST auth/token/tidy, as in Vault. */
import { operation } from '../../core/contract/operation.ts'

/**
 * A token's records are written and removed in the same commits as the token, and its due item is at its end, so there is nothing to tidy.
 * The operation exists for clients that call it.
 */
export const tidyTokens = operation({
  kind: 'read',
  verb: 'POST',
  path: '/tidy',
  summary: 'Does nothing: background work deletes expired tokens anyway.',
  fields: {},
  returns: {},
  wire: () => ({ status: 202 }),
  run: (tx) => {
    tx.warn('Background work deletes tokens that have expired or were revoked; calling tidy is not needed.')
    return {}
  },
})
