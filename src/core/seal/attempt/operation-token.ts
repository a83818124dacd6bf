/**
 * Operation tokens. They have the format of service tokens, authorize only operations for disaster recovery, and do not expire.
 */
import { TOKEN_SALT } from '../../access/token/token-id.ts'
import { coreRecord } from '../../contract/core-record.ts'
import type { Tx } from '../../contract/tx.ts'

/**
 * The record of an operation token, stored under a keyed hash of the token. It is never replicated, because every store has its own
 * operation tokens.
 */
const OPERATION_TOKEN = /* @__PURE__ */ coreRecord<{ readonly created: number }>({ class: 'i', folder: 'operation-token' })

/** Longer strings are refused before they are hashed, because hashing takes time. */
const MAX_OPERATION_TOKEN_CHARACTERS = 1024

export function storeOperationToken(tx: Tx, text: string): void {
  tx.put(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text), { created: tx.now })
}

export const isOperationToken = (tx: Tx, text: string): boolean =>
  text.length <= MAX_OPERATION_TOKEN_CHARACTERS && tx.get(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text)) !== undefined

/** Deletes an operation token. Returns false if there is no such token. */
export function deleteOperationToken(tx: Tx, text: string): boolean {
  if (!isOperationToken(tx, text)) return false
  tx.delete(OPERATION_TOKEN, TOKEN_SALT.of(tx).id(text))
  return true
}
