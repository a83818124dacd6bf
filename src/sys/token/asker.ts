/** The calling token in operations on tokens. */

import { type Ancestor, ancestors } from '../../core/access/token/ancestry.ts'
import { deniedError } from '../../core/access/token-authenticator.ts'
import { invalid } from '../../core/base/errors.ts'
import type { TokenCaller } from '../../core/contract/caller.ts'
import type { Tx } from '../../core/contract/tx.ts'

/** @throws KernelError 400 for a caller without a token. */
export function own(tx: Tx): TokenCaller {
  const { caller } = tx.call
  if (caller.kind !== 'token') throw invalid('the caller is not a token; call this method on a view made by as(token)')
  return caller
}

/**
 * The current state of the token that creates another one. The commit requires that it and all its ancestors are unchanged. Undefined for
 * the application, which has no token.
 * @throws KernelError 400 for a token that must not create tokens, 403 for one that was revoked concurrently.
 */
export function maker(tx: Tx): Ancestor | undefined {
  const { caller } = tx.call
  if (caller.kind !== 'token') return undefined
  if (caller.token.type === 'batch') throw invalid('batch tokens cannot create more tokens')
  if (caller.token.num_uses !== 0) throw invalid('restricted use token cannot generate child tokens')
  const found = ancestors(tx, caller.id)?.[0]
  if (!found) throw deniedError()
  return found
}
