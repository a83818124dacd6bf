/**
 * From a token's text to the id it is stored under.
 */
import { toHex } from '../../base/identifiers.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { CHOSEN, TOKEN } from './token.ts'
import { TOKEN_SALT } from './token-id.ts'

const ID_BYTES = 32

/** Tokens that are made have a dot behind their first letter, and tokens that somebody chose have none. */
const isChosen = (text: string): boolean => !text.includes('.')

/** The keyed hash of the text, but for a token that its maker chose. Whether there is such a token it does not tell. */
export function storedId(tx: Tx, text: string): string {
  const hash = TOKEN_SALT.of(tx).id(text)
  // Those of former releases lie under their hash, too.
  return (isChosen(text) ? tx.get(CHOSEN, hash)?.token : undefined) ?? hash
}

/** An id for a token that its maker chose, from now on the one that its text leads to. */
export function chooseId(tx: Tx, text: string): { readonly id: string; readonly chosen: string } {
  const chosen = TOKEN_SALT.of(tx).id(text)
  const id = `h${toHex(tx.env.entropy.bytes(ID_BYTES))}`
  tx.put(CHOSEN, chosen, { token: id })
  return { id, chosen }
}

/** Deletes the record of a dead token, and the way from its text to it, unless that leads to a newer one. */
export function deleteToken(tx: Tx, id: string, { chosen }: TokenRecord): void {
  tx.delete(TOKEN, id)
  if (chosen !== undefined && tx.get(CHOSEN, chosen)?.token === id) tx.delete(CHOSEN, chosen)
}
