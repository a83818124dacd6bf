/**
 * Tokens that are good for operations of disaster recovery and nothing else: a kind of their own, of the form of a service token,
 * without an end.
 */
import { TOKEN_SALT } from '../../access/token/token-id.ts'
import { jsonRecord } from '../../contract/record-kind.ts'
import type { Tx } from '../../contract/tx.ts'

/** Under a keyed hash of the token. Never leaves the store: each one's operations are its own. */
const OPERATION_TOKEN = /* @__PURE__ */ jsonRecord<{ readonly created: number }>({ class: 'i', folder: 'operation-token' })

/** Longer texts are none, and hashing them costs time. */
const LONGEST = 1024

export function storeOperationToken(tx: Tx, text: string): void {
  tx.put(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text), { created: tx.now })
}

export const isOperationToken = (tx: Tx, text: string): boolean =>
  text.length <= LONGEST && tx.get(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text)) !== undefined

/** False where there is no such token. */
export function deleteOperationToken(tx: Tx, text: string): boolean {
  if (!isOperationToken(tx, text)) return false
  tx.delete(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text))
  return true
}
