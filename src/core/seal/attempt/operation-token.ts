/**
 * Tokens that authorize only disaster recovery operations. They look like service tokens and do not expire.
 */
import { TOKEN_SALT } from '../../access/token/token-id.ts'
import { jsonRecord } from '../../contract/record-kind.ts'
import type { Tx } from '../../contract/tx.ts'

/** Stored under a keyed hash of the token. Never replicated: every store has its own operations and tokens. */
const OPERATION_TOKEN = /* @__PURE__ */ jsonRecord<{ readonly created: number }>({ class: 'i', folder: 'operation-token' })

/** Longer texts are not tokens, and hashing them would cost time. */
const MAX_OPERATION_TOKEN_CHARACTERS = 1024

export function storeOperationToken(tx: Tx, text: string): void {
  tx.put(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text), { created: tx.now })
}

export const isOperationToken = (tx: Tx, text: string): boolean =>
  text.length <= MAX_OPERATION_TOKEN_CHARACTERS && tx.get(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text)) !== undefined

/** Returns false if there is no such token. */
export function deleteOperationToken(tx: Tx, text: string): boolean {
  if (!isOperationToken(tx, text)) return false
  tx.delete(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text))
  return true
}
