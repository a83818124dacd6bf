/** Deletes expired tokens. A token is refused as soon as it has expired, even if it is not deleted yet. */
import { hasEnded } from '../../../core/policy/index.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import { ACL_TOKEN } from '../records.ts'
import { deleteAclToken } from './create-token.ts'

/** Runs when the expiration of a token is due. @param id The id of the token's record. */
export function deleteIfExpired(tx: ConfigTx, id: string): void {
  const token = tx.get(ACL_TOKEN, id)
  if (token?.ExpirationTime === undefined) return
  if (hasEnded(token.ExpirationTime, tx.now)) {
    nextIndex(tx, 'tokens')
    deleteAclToken(tx, id, token)
    // The clock was set back after the deletion became due, so the token has not expired yet. Schedule the deletion again.
  } else tx.due('revocation', id, { to: token.ExpirationTime })
}
