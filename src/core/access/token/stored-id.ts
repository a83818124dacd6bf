/** Maps a token string to the id of the token's record. */
import { toHex } from '../../base/identifiers.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { CHOSEN, TOKEN } from './token.ts'
import { TOKEN_SALT } from './token-id.ts'

const ID_BYTES = 32

/** Generated tokens have a dot after the first letter. Token strings that a creator chose contain no dot. */
const isChosen = (text: string): boolean => !text.includes('.')

/**
 * The id of the token's record: the keyed hash of the token string, or a random id if the creator chose the string. The token need not
 * exist.
 */
export function storedId(tx: Tx, text: string): string {
  const hash = TOKEN_SALT.of(tx).id(text)
  // If there is no `CHOSEN` record, the token does not exist. Return the hash, because no record has it as its id.
  return (isChosen(text) ? tx.get(CHOSEN, hash)?.token : undefined) ?? hash
}

/** Creates a random id for a token string that the creator chose. From this commit on, a record maps the string to this id. */
export function chooseId(tx: Tx, text: string): { readonly id: string; readonly chosen: string } {
  const chosen = TOKEN_SALT.of(tx).id(text)
  const id = `h${toHex(tx.env.entropy.bytes(ID_BYTES))}`
  tx.put(CHOSEN, chosen, { token: id })
  return { id, chosen }
}

/**
 * Deletes the record of an invalid token. Also deletes the record that maps its token string to the id, unless that record refers to a
 * newer token.
 */
export function deleteTokenRecord(tx: Tx, id: string, { chosen }: TokenRecord): void {
  tx.delete(TOKEN, id)
  if (chosen !== undefined && tx.get(CHOSEN, chosen)?.token === id) tx.delete(CHOSEN, chosen)
}
