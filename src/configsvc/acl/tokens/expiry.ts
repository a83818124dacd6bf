/**
 * Clears away tokens that have expired. They are refused from the moment of their end, cleared away or not.
 */
import { hasEnded } from '../../../core/policy/index.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { ACL_TOKEN } from '../records.ts'
import { deleteToken } from './create-token.ts'

/** Due work. @param id What the token is stored under. */
export function deleteIfExpired(tx: ConfigTx, id: string): void {
  const token = tx.get(ACL_TOKEN, id)
  if (token?.ExpirationTime === undefined) return
  if (hasEnded(token.ExpirationTime, tx.now)) {
    nextIndex(tx, 'tokens')
    deleteToken(tx, id, token)
    // The clock was set back since the work was found to be due.
  } else tx.due('revocation', id, { to: token.ExpirationTime })
}
