/**
 * From a token's text to the id that it is stored under.
 */
import { toHex } from '../../base/identifiers.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { CHOSEN, TOKEN } from './token.ts'
import { TOKEN_SALT } from './token-id.ts'

const ID_BYTES = 32

/** Generated tokens have a dot after their first letter; chosen ones have none. */
const isChosen = (text: string): boolean => !text.includes('.')

/**
 * The stored id: the keyed hash of the text, except for a token that its maker chose. It does not say whether the token exists.
 */
export function storedId(tx: Tx, text: string): string {
  const hash = TOKEN_SALT.of(tx).id(text)
  // Chosen tokens of former releases also lie under their hash.
  return (isChosen(text) ? tx.get(CHOSEN, hash)?.token : undefined) ?? hash
}

/** Makes an id for a token that its maker chose; from now on the token's text leads to it. */
export function chooseId(tx: Tx, text: string): { readonly id: string; readonly chosen: string } {
  const chosen = TOKEN_SALT.of(tx).id(text)
  const id = `h${toHex(tx.env.entropy.bytes(ID_BYTES))}`
  tx.put(CHOSEN, chosen, { token: id })
  return { id, chosen }
}

/** Deletes the record of a dead token, and the link from its text to it, unless that leads to a newer one. */
export function deleteTokenRecord(tx: Tx, id: string, { chosen }: TokenRecord): void {
  tx.delete(TOKEN, id)
  if (chosen !== undefined && tx.get(CHOSEN, chosen)?.token === id) tx.delete(CHOSEN, chosen)
}
