/** Reads the calling token, for operations that need one. */

import { type Ancestor, ancestors } from '../../core/access/token/ancestry.ts'
import { deniedError } from '../../core/access/token-authenticator.ts'
import { invalid } from '../../core/base/errors.ts'
import type { TokenCaller } from '../../core/contract/caller.ts'
import type { Tx } from '../../core/contract/tx.ts'

/** Returns the caller with its token. @throws KernelError 400 if the caller has no token. */
export function callingToken(tx: Tx): TokenCaller {
  const { caller } = tx.call
  if (caller.kind !== 'token') throw invalid('the caller is not a token; call this method on a view made by as(token)')
  return caller
}

/**
 * Returns the current state of the calling token, which creates another token. The commit requires that the calling token and all its
 * ancestors are unchanged. Returns undefined for the application, which has no token.
 * @throws KernelError 400 if the calling token must not create tokens, 403 if it was revoked concurrently.
 */
export function creatingToken(tx: Tx): Ancestor | undefined {
  const { caller } = tx.call
  if (caller.kind !== 'token') return undefined
  if (caller.token.type === 'batch') throw invalid('batch tokens cannot create more tokens')
  if (caller.token.num_uses !== 0) throw invalid('restricted use token cannot generate child tokens')
  const found = ancestors(tx, caller.id)?.[0]
  if (!found) throw deniedError()
  return found
}
