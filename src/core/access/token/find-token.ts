/** Finds tokens by the token string. The result does not depend on the caller. */
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { ancestors } from './ancestry.ts'
import { isBatchToken, openBatchToken } from './batch-token.ts'
import type { TokenLookup } from './by-accessor.ts'
import { storedId } from './stored-id.ts'
import { TOKEN } from './token.ts'
import { MAX_TOKEN_CHARACTERS } from './token-id.ts'

/** The token, if it is valid and belongs to the call's namespace. The id of a batch token is empty. */
export function findValidToken(tx: Tx, text: string): TokenLookup | undefined {
  const found = findTokenRecord(tx, text)
  if (!found || !TOPOLOGY.of(tx).mounts.byId(found.token.mount)) return undefined
  if (found.id !== '') return ancestors(tx, found.id) && found
  const { expires, parent } = found.token
  return (expires === null || tx.now < expires) && ancestors(tx, parent) ? found : undefined
}

/** Like {@link findValidToken}, but also finds invalid tokens. */
export function findTokenRecord(tx: Tx, text: string): TokenLookup | undefined {
  if (text === '' || text.length > MAX_TOKEN_CHARACTERS) return undefined
  const batch = isBatchToken(text)
  const id = batch ? '' : storedId(tx, text)
  const token = batch ? openBatchToken(tx, text) : tx.get(TOKEN, id)
  return token?.namespace === tx.call.namespace.uuid ? { id, token } : undefined
}
