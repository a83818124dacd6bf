/** POST auth/token/tidy, as in Vault. */
import { operation } from '../../core/contract/operation.ts'

/**
 * Does nothing. One commit removes a token together with all its other records, so there are never leftover records to tidy. The operation
 * exists for clients that call it.
 * @throws no errors of its own.
 */
export const tidyTokens = operation({
  kind: 'read',
  verb: 'POST',
  path: '/tidy',
  summary: 'Does nothing, because background work deletes expired tokens. Exists only for clients that call it.',
  fields: {},
  returns: {},
  wire: () => ({ status: 202 }),
  run: (tx) => {
    tx.warn('Background work deletes tokens that have expired or were revoked; calling tidy is not needed.')
    return {}
  },
})
