/** Finds tokens by accessor. */
import { notFound } from '../../base/errors.ts'
import type { TokenCaller } from '../../contract/caller.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { TOKEN_AUTHENTICATOR } from '../token-authenticator.ts'
import { ancestors } from './ancestry.ts'
import { ACCESSOR } from './token.ts'
import { TOKEN_SALT } from './token-id.ts'

/** Longer strings are refused before they are hashed, because hashing takes time. */
const MAX_ACCESSOR_CHARACTERS = 128

export interface TokenLookup {
  readonly id: string
  readonly token: TokenRecord
}

/** The token with this accessor in the namespace of the call, if the token is valid. */
export function tokenOfAccessor(tx: Tx, accessor: string): TokenLookup | undefined {
  if (accessor.length > MAX_ACCESSOR_CHARACTERS) return undefined
  const record = tx.get(ACCESSOR, `${tx.call.namespace.uuid}/${TOKEN_SALT.of(tx).id(accessor)}`)
  const token = record && ancestors(tx, record.token)?.[0]
  return token && { id: token.id, token: token.record }
}

/** @throws KernelError 400 if there is no such valid token. */
export function callerOfAccessor(tx: Tx, accessor: string): TokenCaller {
  const found = tokenOfAccessor(tx, accessor)
  if (!found) throw notFound('accessor: invalid accessor', 400)
  return TOKEN_AUTHENTICATOR.of(tx).describe(tx, found.id, found.token)
}
