/** POST auth/token/tidy (source: behaviour of the originals). */
import { operation } from '../../core/contract/operation.ts'

/**
 * A token's records are written and removed in the same commits as the token, and it is due when it ends: nothing is ever lost,
 * so there is nothing to tidy. The operation exists for clients that call it.
 */
export const tidyTokens = operation({
  kind: 'read',
  verb: 'POST',
  path: '/tidy',
  summary: 'Starts nothing: tokens that ended are cleared away by the background work anyway.',
  fields: {},
  returns: {},
  wire: () => ({ status: 202 }),
  run: (tx) => {
    tx.warn('Tokens that have expired or were revoked are cleared away in the background, whether or not this is asked for.')
    return {}
  },
})
